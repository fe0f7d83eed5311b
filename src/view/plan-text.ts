/**
 * What a planner says beside its answer. The answer itself, a list of tasks in JSON or a refined goal in its tags, is
 * shown in a form for people once it was read.
 */
export function besideAnswer(text: string): string {
  return text
    .replace(/<refined>[\s\S]*(?:<\/refined>|$)/gi, '')
    .replace(/^ *```\w*\n\s*[[{][\s\S]*?(?:^ *```$|(?![\s\S]))/gm, '')
    .replace(/^[[{]\s*[[{"][\s\S]*[\]}]/m, '')
    .trim()
}
