import type { Tone } from '../page.ts'
import { STYLE } from './html-style.ts'
import { html } from './html-text.ts'

/** The browser fetches and runs nothing, even if an agent's text should ever get through unescaped. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'"

/** `result`: what people should read first. `madeBy`: the command that makes such a page. */
export type PageHead = { title: string; result: string; tone: Tone; madeBy: string }

/** A page that needs nothing else: no file, no network, no script. `body` is HTML. */
export const htmlPage = ({ title, result, tone, madeBy }: PageHead, body: readonly string[]): string[] => [
  '<!doctype html>',
  '<html lang="en">',
  '<meta charset="utf-8">',
  `<meta http-equiv="Content-Security-Policy" content="${html(POLICY)}">`,
  '<meta name="viewport" content="width=device-width, initial-scale=1">',
  `<title>${html(title)}</title>`,
  `<style>${STYLE}</style>`,
  `<header class="${tone}"><h1>${html(title)}</h1><p class="result">${html(result)}</p></header>`,
  ...body,
  `<footer class="dim">Made by <code>${html(madeBy)}</code>. Costs are as the agent reported them.</footer>`,
  '</html>',
]

/** Commands for people to copy, a line each. */
export const htmlCommands = (commands: readonly string[]): string =>
  `<code class="go-on">${commands.map(html).join('<br>')}</code>`
