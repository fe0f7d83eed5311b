import { sumSpent } from '../report/spent.ts'
import type { Costs, Morning, NeedyRun, Period, RunName, RunNight } from './model.ts'
import { urgency } from './needs.ts'
import { perVerified } from './night.ts'
import { byRank } from './rank.ts'

/** What a person reads in the morning, from what each run did. `nights`: the oldest run first. */
export function morningOf(
  nights: readonly RunNight[],
  period: Period,
  skipped: Morning['skipped'] = [],
): Morning {
  const costs = nights.flatMap(({ costs, ...about }) => (costs ? { ...nameOf(about), ...costs } : []))
  return {
    ...period,
    runs: nights.length,
    needsYou: nights.flatMap(({ needs }) => needs ?? []).sort(byUrgency),
    landed: nights.flatMap(({ landed }) => landed ?? []),
    costs: { runs: costs, total: sumCosts(costs) },
    lookFirst: nights
      .flatMap(({ lookAt }) => lookAt ?? [])
      .sort(byRank)
      .map(({ rank: _, ...one }) => one),
    stillRunning: nights.flatMap(({ atWork }) => atWork ?? []),
    skipped,
  }
}

const nameOf = ({ run, name, project, command, work }: RunName): RunName => ({
  run,
  name,
  project,
  command,
  work,
})

/** By the most urgent thing that each run needs. */
const byUrgency = (a: NeedyRun, b: NeedyRun): number => urgency(a.needs[0]!.kind) - urgency(b.needs[0]!.kind)

function sumCosts(all: readonly Costs[]): Costs {
  const sum = (amount: (costs: Costs) => number) => all.reduce((total, costs) => total + amount(costs), 0)
  const spent = sumSpent(all)
  const verified = sum(costs => costs.verified)
  return {
    ...spent,
    verified,
    perVerified: perVerified(spent.usd, verified),
    workedMs: sum(costs => costs.workedMs),
    waitedMs: sum(costs => costs.waitedMs),
  }
}
