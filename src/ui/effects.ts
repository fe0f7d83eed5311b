import type { Effect, ScreenEffect } from '../view/screens/ui-state.ts'
import type { UiPorts } from './ports.ts'

type Asked = Exclude<Effect, ScreenEffect>

/** Does what a key asks for, as the command would; resolves to what to say about it. */
export async function actOn(
  effect: Asked,
  { steer, workerOf }: UiPorts,
  write: (sequence: string) => void,
): Promise<string> {
  switch (effect.type) {
    case 'steer':
      return steer[effect.verb](workerOf(effect.run) ?? effect.run)
    case 'tell':
      return steer.tell(effect.run, effect.text, effect.task)
    case 'copy':
      // The terminal's own clipboard, as far as it allows that; the command is shown too.
      write(`\x1b]52;c;${Buffer.from(effect.text).toString('base64')}\x07`)
      return `copied: ${effect.text}`
    default:
      return effect satisfies never
  }
}
