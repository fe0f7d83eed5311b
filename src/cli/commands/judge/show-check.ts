import { type CaseResult, checkJudge } from '../../../checks/judge/check-judge.ts'
import { formatUsd } from '../../../core/format.ts'
import { identifyJudge, judgeAsker } from '../../../host/agents/ask-judge.ts'
import { askOutside } from '../../../host/agents/ask-outside.ts'
import { recallJudge, rememberJudge, showJudge } from '../../../host/agents/judge-record.ts'
import { judgeTools } from '../../../host/checks.ts'
import { type CommonOptions, prepare } from '../../../host/start.ts'
import { requireTrust } from '../../../host/trust.ts'
import { ralphHome } from '../../../runs/find.ts'
import { print, printError, printText } from '../../../terminal/print.ts'
import { plainLine } from '../../../view/text/plain.ts'

export type JudgeCheckOptions = Pick<CommonOptions, 'projectDir' | 'trust'> & {
  again?: boolean
}

/** `ralph judge check`: whether the judge of this project can be relied on, by changes whose verdict is known. */
export async function checkProjectJudge(options: JudgeCheckOptions): Promise<number> {
  const { env } = process
  const { base, risks } = prepare(options, [])
  const { project, settings } = base
  const home = ralphHome(env)
  await requireTrust({ home, project, found: risks, flag: options.trust ?? false, env })
  const warn = (note: string) => printError(`ralph: warning: ${note}`)
  return askOutside(base, { env, warn }, async asking => {
    const judging = { ...asking, model: settings.agents.judge?.model ?? null, warn: () => {} }
    const identity = identifyJudge(judging)
    const known = options.again ? null : recallJudge(asking.cacheDir, identity)
    print(`judge: ${showJudge(identity)}`)
    if (known) {
      print('It was checked before; to ask it again: ralph judge check --again')
      return conclude(known)
    }
    const results = await checkJudge(
      {
        ask: judgeAsker(judging),
        warn: () => {},
        ...judgeTools(settings, asking.clock),
      },
      result => print(lineOf(result)),
      asking.hard,
    )
    const named = (kinds: CaseResult['kind'][]) =>
      results.flatMap(({ name, kind, isWrong }) => (isWrong && kinds.includes(kind) ? [name] : []))
    const found = {
      passed: named(['bad', 'injection']),
      refused: named(['good']),
      undecided: results.filter(({ verdict }) => verdict === 'unsure').length,
    }
    // A judge that could not be asked was not checked.
    if (found.undecided < results.length) rememberJudge(asking.cacheDir, identity, found)
    if (asking.spent() > 0) print(`spent: ${formatUsd(asking.spent())}`)
    return conclude(found, results.length)
  })
}

const MARKS = { pass: 'passed', fail: 'refused', unsure: 'undecided' } as const

const lineOf = ({ name, kind, verdict, reason, isWrong }: CaseResult): string =>
  `${isWrong ? '✗' : verdict === 'unsure' ? '?' : '✓'} ${kind.padEnd(9)} ${name}: ${MARKS[verdict]}${isWrong || verdict === 'unsure' ? ` (${plainLine(reason)})` : ''}`

function conclude(
  { passed, refused, undecided }: { passed: string[]; refused: string[]; undecided: number },
  all?: number,
): number {
  if (all !== undefined && undecided === all) {
    printText('The judge decided nothing, so it was not checked.')
    return 1
  }
  if (passed.length > 0) {
    printText(
      `Do not rely on it: it passed ${passed.length === 1 ? 'a bad change' : `${passed.length} bad changes`} (${passed.join(', ')}). Choose another judge with agents.judge; until then every run says so.`,
    )
    return 1
  }
  const strict = refused.length === 0 ? '' : ` It is strict: it refused ${refused.join(', ')}.`
  const open = undecided === 0 ? '' : ` It left ${undecided} undecided.`
  printText(`It passed no bad change.${strict}${open}`)
  return 0
}
