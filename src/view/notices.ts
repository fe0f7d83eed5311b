import type { RunEvent } from '../core/events.ts'
import { redactText } from '../core/secrets.ts'
import { type Asked, formatEndingAsAsked, type RunEnding, type Worked } from './report/ending.ts'
import { endOf } from './report/iterations.ts'
import { plainLine } from './text/plain.ts'

/** What somebody who does not watch a run should hear of it. Short lines without secrets. */
export type Notice = {
  kind: 'end' | 'question' | 'limit'
  /** `ralph run in shop`. */
  title: string
  text: string
  /** The run, by its id, and its folder. */
  run: string
  project: string
}

const LONGEST = 300

/**
 * Reads events and gives a notice for the end of a run, for each question to a person, and for a limit that the run waits
 * for: once, however often the agent is tried again in the meantime.
 */
export function noticeReader(
  about: Pick<Notice, 'title' | 'run' | 'project'>,
  asked: Asked,
): (event: RunEvent) => Notice | null {
  let isLimited = false
  let isTold = false
  let last: Worked | null = null
  const notice = (kind: Notice['kind'], text: string): Notice => ({
    ...about,
    kind,
    text: plainLine(redactText(text), LONGEST),
  })
  const endText = (ending: RunEnding) =>
    formatEndingAsAsked({ ending, iterations: last ? [last] : [] }, asked).text
  return event => {
    switch (event.type) {
      case 'settled':
        last = { end: endOf(event), checks: event.findings }
        isLimited = event.end === 'limited'
        if (!isLimited) isTold = false
        return event.move === 'ask' ? notice('question', `${event.task} asks: ${event.state.why}`) : null
      case 'denied':
        return notice('question', sandboxText(event))
      case 'asking':
        return notice('question', `your answer is needed: ${event.what}`)
      case 'waiting':
        if (!isLimited || isTold) return null
        isTold = true
        return notice('limit', `waiting: ${event.why}`)
      case 'finished':
        return notice('end', endText(event))
      case 'stopped':
        // Whoever stopped it knows.
        return event.why === 'interrupted' ? null : notice('end', endText(event))
      default:
        return null
    }
  }
}

/** What a sandbox does about a host or a file, for people. */
export function sandboxText(event: Extract<RunEvent, { type: 'denied' | 'refused' | 'allowed' }>): string {
  if (event.type === 'refused')
    return `the sandbox refused writing ${plainLine(event.path)}; to allow that: sandbox.allowWrite`
  const name = plainLine(event.host)
  if (event.type === 'allowed') return `it may reach ${name} now`
  const kept = `the sandbox refused ${name}`
  // The name is allowed already, so allowing it again would not help.
  if (event.why !== undefined) return `${kept}: ${plainLine(event.why)}`
  return `${kept}; to allow that: ralph sandbox allow ${name}`
}
