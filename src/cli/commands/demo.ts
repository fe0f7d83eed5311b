import type { Command } from 'commander'

export function addDemo(program: Command, finish: (code: number) => void): void {
  program
    .command('demo')
    .description('See a whole run on a scratch project: a scripted agent, no key, no network.')
    .action(async () => {
      const { showDemo } = await import('../actions.ts')
      finish(await showDemo())
    })
  program.command('demo-agent', { hidden: true }).action(async () => {
    const { demoAgent } = await import('../actions.ts')
    finish(await demoAgent())
  })
}
