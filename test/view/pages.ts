import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll } from 'vitest'
import { CHROMIUM_FLAGS, chromiumPath } from '../support/chromium.ts'
import { scratch } from '../support/scratch.ts'

/**
 * One page of a browser for the tests of a block, because a new one is a new process. Opens the lines of a page in it, and
 * gives it with all that went wrong or out.
 */
export function browserForTests() {
  let browser: Browser
  let page: Page
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: chromiumPath!, args: CHROMIUM_FLAGS })
    page = await browser.newPage()
  })
  afterAll(() => browser?.close())

  return async (lines: readonly string[], width: number, colorScheme: 'light' | 'dark' = 'light') => {
    const path = join(scratch(), 'page.html')
    writeFileSync(path, lines.join('\n'))
    await page.setViewportSize({ width, height: 800 })
    await page.emulateMedia({ colorScheme })
    page.removeAllListeners()
    const trouble: string[] = []
    const { href } = pathToFileURL(path)
    page.on('request', request => request.url() !== href && trouble.push(`asked for ${request.url()}`))
    page.on('console', message => message.type() === 'error' && trouble.push(message.text()))
    page.on('pageerror', error => trouble.push(error.message))
    page.on('dialog', dialog => trouble.push(dialog.message()))
    await page.goto(href, { waitUntil: 'networkidle' })
    const overflow = await page.evaluate(
      'document.documentElement.scrollWidth - document.documentElement.clientWidth',
    )
    return { page, trouble, overflow }
  }
}
