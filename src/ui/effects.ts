import type { Effect, ScreenEffect } from '../view/screens/ui-state.ts'
import type { UiPorts } from './ports.ts'
import { editFile, viewFile, viewText } from './programs.ts'

type Asked = Exclude<Effect, ScreenEffect>

export type EffectOptions = {
  ports: UiPorts
  /** Sends a sequence to the terminal. */
  write(sequence: string): void
  /** Gives the terminal to a program until it ends. */
  lend(program: () => Promise<string>): Promise<string>
}

/** Does what a key asks for, as the command would; resolves to what to say about it. */
export async function actOn(effect: Asked, { ports, write, lend }: EffectOptions): Promise<string> {
  const { steer, workerOf, env } = ports
  switch (effect.type) {
    case 'steer':
      return steer.steer(workerOf(effect.run) ?? effect.run, effect.verb)
    case 'tell':
      return steer.tell(effect.run, effect.text, effect.task)
    case 'skip':
      return steer.skip(effect.run, effect.task)
    case 'decide':
      return steer.decide(effect.run, effect.story, effect.isApproved, effect.why)
    case 'allow':
      return steer.allow(effect.run, effect.host)
    case 'undo':
      return steer.undo(effect.run)
    case 'diff': {
      const text = await ports.diffOf(effect.run)
      return text.trim() === '' ? 'it changed nothing' : lend(() => viewText(`${effect.run}.diff`, text, env))
    }
    case 'edit':
      return lend(() => editFile(effect.path, env))
    case 'view':
      return lend(() => viewFile(effect.path, env))
    case 'copy':
      // The terminal's own clipboard, as far as it allows that; the command is shown too.
      write(`\x1b]52;c;${Buffer.from(effect.text).toString('base64')}\x07`)
      return `copied: ${effect.text}`
    default:
      return effect satisfies never
  }
}
