import { describe, expect, it } from 'vitest'
import { toolNamer } from '../../src/view/doing.ts'

const shown = (name: string, summary: string, project: string | null = '/home/me/shop') => {
  const call = toolNamer(project)(name, summary)
  return `${call.name}(${call.summary})`
}

describe('a tool call looks the same for every CLI', () => {
  it.each([
    ['Bash', 'npm test', 'Bash(npm test)'],
    ['command_execution', "/bin/bash -lc 'npm test'", 'Bash(npm test)'],
    ['command_execution', `bash -c 'echo '\\''a b'\\'' | wc'`, "Bash(echo 'a b' | wc)"],
    ['command_execution', String.raw`/bin/zsh -lc "echo \"\$HOME\" 'x'"`, `Bash(echo "$HOME" 'x')`],
    ['command_execution', '/usr/bin/bash -lc ls', 'Bash(ls)'],
    ['command_execution', "/bin/bash -lc 'cut off in the mid", 'Bash(cut off in the mid)'],
    ['run_shell_command', 'npm test', 'Bash(npm test)'],
    ['bash', 'npm test', 'Bash(npm test)'],
    ['read_file', '/home/me/shop/src/a.js', 'Read(src/a.js)'],
    ['create', '/home/me/shop/notes.md', 'Write(notes.md)'],
    ['replace', '/home/me/shop/notes.md', 'Edit(notes.md)'],
    ['file_change', 'add /home/me/shop/notes.md', 'Write(notes.md)'],
    ['file_change', 'delete /home/me/shop/notes.md', 'Delete(notes.md)'],
    ['file_change', 'update /home/me/shop/a b.md add /home/me/shop/c.md', 'Edit(a b.md, c.md)'],
    ['write_todos', '', 'TodoWrite()'],
    ['github.search', 'query', 'github.search(query)'],
  ])('%s %s', (name, summary, wanted) => expect(shown(name, summary)).toBe(wanted))
})

describe('a path', () => {
  it.each([
    ['cd /home/me/shop && npm test', 'cd . && npm test'],
    ['cat "/home/me/shop/a.js" /home/me/shop/.env', 'cat "a.js" .env'],
    ['ls /home/me/shop/', 'ls .'],
    ['/home/me/shop', '.'],
    ['cat /home/me/shop-2/a.js', 'cat /home/me/shop-2/a.js'],
    ['cat /mnt/home/me/shop/a.js', 'cat /mnt/home/me/shop/a.js'],
  ])('in the project is shown relative to it, no other: %s', (command, wanted) =>
    expect(shown('Bash', command)).toBe(`Bash(${wanted})`),
  )

  it('is shown whole where no project is known', () =>
    expect(shown('Read', '/home/me/shop/a.js', null)).toBe('Read(/home/me/shop/a.js)'))
})
