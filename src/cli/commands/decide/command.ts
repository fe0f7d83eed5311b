import type { StoryRequest } from '../../../workflows/stories/rules/story-request.ts'
import type { Verb } from '../verb.ts'

const decision = (action: StoryRequest['action'], summary: string, why: string, examples: string): Verb => ({
  name: action,
  summary,
  define: (command, { finish, io }) =>
    command
      .argument('<run>', 'its id, or the beginning or end of it')
      .argument('<story>', 'the id of the story')
      .argument('[why...]', why)
      .addHelpText('after', `\nExamples:\n${examples}`)
      .action(async (run: string, story: string, words: string[]) => {
        const { decideStory } = await import('../../actions.ts')
        const why = words.join(' ')
        finish(await decideStory(run, { action, story, ...(why !== '' && { why }) }, io))
      }),
})

export const approveVerb = decision(
  'approve',
  'Approve a story yourself, such as one that is left for you.',
  'why you approve it, for the record',
  `  ralph approve k3f US-001
  ralph approve k3f US-001 "Good enough for the demo"`,
)

export const rejectVerb = decision(
  'reject',
  'Send a story back yourself, with what has to change.',
  'what has to change: the next agent reads it',
  `  ralph reject k3f US-001 "The total is wrong"
  ralph reject k3f US-001                         the feedback of the last review stays`,
)
