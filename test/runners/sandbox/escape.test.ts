import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer as createSocket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { attempts, BUILD, DONE, foundIn, missing, once, openPlace, serve, TASKS } from './place.ts'

/** What an agent tries, by what it is. Each prints GOT if it gets what it must not have. */
const TRIES = {
  'write to /etc': 'touch /etc/ralph-was-here && echo GOT',
  'write to the home': 'touch "$HOME/x" && echo GOT',
  'write to a start-up file of the shell': 'echo evil >> "$HOME/.bashrc" && echo GOT',
  'write to another project': 'touch "$BESIDE/x" && echo GOT',
  'write through a link to another project': 'ln -s "$BESIDE" link && touch link/x && echo GOT',
  'change a file of another project by a hard link': 'ln "$BESIDE/file" hard && echo evil > hard && echo GOT',
  // It sees an empty folder there, and what it writes is gone with it.
  "write to ralph's own folder": 'touch "$RALPH_HOME/evil"',
  "read ralph's own folder": 'cat "$RALPH_HOME"/runs/*/journal.ndjson && echo GOT',
  'read a private key': 'cat "$HOME"/.ssh/id_* && echo GOT',
  'read the keys of a cloud': 'cat "$HOME/.aws/credentials" && echo GOT',
  'read the login of another agent': 'cat "$HOME/.codex/auth.json" && echo GOT',
  'reach a server of this machine': 'curl -sS -m 5 http://127.0.0.2:$CLOSED/ | grep reached && echo GOT',
  'reach an allowed server past the proxy': 'curl -sS -m 5 --noproxy "*" http://127.0.0.1:$OPEN/ && echo GOT',
  'ask the proxy for another host':
    'curl -sS -m 5 -x "$http_proxy" http://127.0.0.2:$CLOSED/ | grep reached && echo GOT',
  'have the proxy make a tunnel to another host':
    'curl -sS -m 5 -p -x "$http_proxy" http://127.0.0.2:$CLOSED/ | grep reached && echo GOT',
  'ask the other proxy for another host':
    'curl -sS -m 5 -x "$ALL_PROXY" http://127.0.0.2:$CLOSED/ | grep reached && echo GOT',
  'name an allowed host, and mean another':
    'curl -sS -m 5 -x "$http_proxy" --connect-to 127.0.0.1:$OPEN:127.0.0.2:$CLOSED http://127.0.0.1:$OPEN/ | grep closed && echo GOT',
  'speak to a socket of this machine':
    'curl -sS -m 5 --unix-socket "$BESIDE/socket" http://x/ | grep reached && echo GOT',
  'put a program before yours on PATH': 'echo evil > "$(dirname "$(command -v agent)")/npm" && echo GOT',
  'hand work to a server of yours': 'tmux -S "$BESIDE/tmux" new-session -d true && echo GOT',
  'tell ralph something as you would': 'env -i HOME="$HOME" PATH="$PATH" ralph tell evil && echo GOT',
  'replace the hooks of git': 'echo "echo hi" > .git/hooks/pre-commit && echo GOT',
  'replace the folder of the hooks': 'rm -rf .git/hooks && mkdir .git/hooks && echo GOT',
  'change the configuration of git': 'git config core.fsmonitor ./evil && echo GOT',
  'put another folder in the place of .git': 'mv .git aside && cp -r aside .git && echo GOT',
  'have git ignore more': 'echo x >> .git/info/exclude && echo GOT',
  'make a user namespace': 'unshare -Ur true && echo GOT',
  'make a sandbox of its own around itself': 'bwrap --dev-bind / / true && echo GOT',
  'mount over a file': 'mount -t tmpfs none "$HOME" && echo GOT',
  'change the kernel': 'echo 0 > /proc/sys/vm/swappiness && echo GOT',
  'signal a process outside': 'kill -0 $OTHER && echo GOT',
  'see the processes outside': 'test -e /proc/$OTHER/environ && echo GOT',
}

/** What it must be able to do, and what that prints. */
const WORK = {
  'change its project': 'echo 2 > b && cat b',
  commit: 'git add b && git commit -qm b && git log -1 --format=%s',
  'make a branch and a stash': 'git switch -qc side && git switch -q - && echo switched',
  'write temporary files': 'touch "$TMPDIR/x" && echo written',
  'reach a host that is allowed': 'curl -sS -m 5 http://127.0.0.1:$OPEN/',
  'reach a registry of packages': 'curl -sS -m 5 http://registry.npmjs.org/left-pad',
  'start a server, and reach it': `node -e 'const s = require("http").createServer((q, r) => { r.end("mine"); s.close() }).listen(0, "127.0.0.1", () => require("http").get({ port: s.address().port, agent: new (require("http").Agent)() }, r => r.pipe(process.stdout)))'`,
}

const PRINTED: Record<keyof typeof WORK, string> = {
  'change its project': '2',
  commit: 'b',
  'make a branch and a stash': 'switched',
  'write temporary files': 'written',
  'reach a host that is allowed': 'reached',
  'reach a registry of packages': 'package',
  'start a server, and reach it': 'mine',
}

describe.skipIf(missing !== null)(`an agent in srt${missing === null ? '' : ` (${missing})`}`, () => {
  /** A run of an agent that tries everything, and what each try printed. */
  async function tryAll(sandbox: string, atEnd: (clean: () => void) => void) {
    const place = openPlace('', atEnd)
    const { port: open } = await serve('127.0.0.1', 'reached', atEnd)
    const { port: closed } = await serve('127.0.0.2', 'reached, though closed', atEnd)
    // Whatever leaves the sandbox goes through here, as through the proxy of a company.
    const { port: upstream } = await serve('127.0.0.1', 'package', atEnd)
    const other = await place.run(['sh', '-c', 'sleep 300 > /dev/null 2>&1 & echo $!'])
    atEnd(() => void process.kill(Number(other.stdout)))
    const values = `OPEN=${open}\nCLOSED=${closed}\nOTHER=${other.stdout.trim()}\n`
    place.addProgram('agent', `${values}${attempts({ ...TRIES, ...WORK })}${DONE}`)
    place.settings({ sandbox: { allowedDomains: ['127.0.0.1', 'npm'] } })
    for (const [file, text] of Object.entries({
      'home/.ssh/id_ed25519': 'private-key',
      'home/.aws/credentials': 'aws-key',
      'home/.codex/auth.json': 'codex-login',
      'home/.bashrc': '',
      'beside/file': 'mine',
    })) {
      mkdirSync(place.at(file.replace(/\/[^/]*$/, '')), { recursive: true })
      writeFileSync(place.at(file), text)
    }
    place.addProgram('ralph', `exec ${process.execPath} ${place.program} "$@"\n`)
    const socket = createSocket(stream => stream.end('HTTP/1.1 200 OK\r\n\r\nreached'))
    await new Promise<void>(resolve => socket.listen(place.at('beside/socket'), resolve))
    atEnd(() => void socket.close())
    await place.ready()
    await place.run(['tmux', '-S', place.at('beside/tmux'), 'new-session', '-d', 'sleep 300'])
    atEnd(() => void place.run(['tmux', '-S', place.at('beside/tmux'), 'kill-server']))
    const env = { HTTP_PROXY: `http://127.0.0.1:${upstream}`, NO_PROXY: '127.0.0.1,127.0.0.2' }
    const run = once().map(word => word.replace('=srt', `=${sandbox}`))
    const ran = await place.ralph(run, env)
    const found = (name: string) => foundIn(place, name)
    return { place, ran, found }
  }

  describe('that tries everything at once', () => {
    let tried: Awaited<ReturnType<typeof tryAll>>
    const found = (name: string) => tried.found(name)

    beforeAll(async () => {
      tried = await tryAll('srt', afterAll)
      expect(tried.ran.code, tried.ran.stdout + tried.ran.stderr).toBe(0)
    }, 60_000)

    test.each(Object.keys(TRIES))('cannot %s', name => {
      expect(found(name)).not.toMatch(/GOT|private-key|aws-key|codex-login|though closed/)
    })

    test.each(Object.keys(WORK) as (keyof typeof WORK)[])('can %s', name => {
      expect(found(name)).toBe(PRINTED[name])
    })

    test('leaves nothing anywhere else', () => {
      const { place } = tried
      expect(readdirSync(place.at('beside')).sort()).toEqual(['file', 'socket', 'tmux'])
      expect(readFileSync(place.at('beside/file'), 'utf8')).toBe('mine')
      expect(readFileSync(place.at('home/.bashrc'), 'utf8')).toBe('')
      expect(existsSync('/etc/ralph-was-here')).toBe(false)
      expect(existsSync(place.at('home/.ralph/evil'))).toBe(false)
      expect(readdirSync(place.at('tmp'))).toEqual([])
    })
  })

  test('could do all of it outside, but what only root may do', { timeout: 60_000 }, async () => {
    const { place, found } = await tryAll('none', onTestFinished)
    const refused = Object.keys(TRIES).filter(name => !found(name).includes('GOT'))
    const isOfRoot = ['write to /etc', 'mount over a file', 'change the kernel']
    expect(refused).toEqual(expect.arrayContaining(isOfRoot))
    // Whether users may make namespaces, and see each other's processes, depends on the system.
    const rest = refused.filter(name => !isOfRoot.includes(name) && !/namespace|sandbox|outside/.test(name))
    // The one says nothing, but was done; ralph refuses the other itself.
    expect(existsSync(place.at('home/.ralph/evil'))).toBe(true)
    expect(rest).toEqual(["write to ralph's own folder", 'tell ralph something as you would'])
  })

  test('cannot end ralph and write the end of the run itself', { timeout: 60_000 }, async () => {
    const finished = { type: 'finished', at: 1, result: 'complete', proof: 'verified', why: 'complete' }
    const place = openPlace(`cat > /dev/null
journal=$(ls "$RALPH_HOME"/runs/*/journal.ndjson 2> /dev/null || echo "$RALPH_HOME/runs/$RALPH_RUN/journal.ndjson")
mkdir -p "$(dirname "$journal")"
echo '${JSON.stringify(finished)}' >> "$journal"
kill -9 -1; kill -9 $PPID
for pid in $(ls /proc | grep '^[0-9]'); do [ "$pid" = $$ ] || kill -9 "$pid"; done
${DONE}`)
    await place.ready()
    const ran = await place.ralph(once('--check', 'false'))
    expect(ran.code).toBe(1)
    const report = await place.ralph(['report'])
    expect(report.stdout).toContain('not done')
    expect(report.stdout).not.toContain('done, verified')
  })

  test('does not reach this machine by an allowed name', async () => {
    const { port } = await serve('127.0.0.1')
    const place = openPlace(`${attempts({ it: `curl -sS -m 5 http://inner.example:${port}/` })}${DONE}`)
    place.settings({ sandbox: { allowedDomains: ['inner.example'] } })
    // A resolver of names that says what whoever owns the name wants.
    writeFileSync(
      place.at('resolver.mjs'),
      `import dns from 'node:dns'
import { syncBuiltinESMExports } from 'node:module'
const { lookup } = dns
dns.lookup = (name, options, done) =>
  name === 'inner.example' ? done(null, [{ address: '127.0.0.1', family: 4 }]) : lookup(name, options, done)
syncBuiltinESMExports()
`,
    )
    await place.ready()
    const ran = await place.ralph(once(), { NODE_OPTIONS: `--import=${place.at('resolver.mjs')}` })
    expect(readFileSync(place.at('project/found/it'), 'utf8'), ran.stderr).not.toContain('reached')
    expect(ran.stdout).toContain('the sandbox refused inner.example: resolved to a loopback address')
  })

  test('that ends leaves no process, though it left its session, cleared its environment and lowered its limit', async () => {
    const place = openPlace(`cat > /dev/null
(prlimit --locks=0 env -i setsid sh -c 'while :; do sleep 0.1; echo x >> '"$PWD"'/alive; done' > /dev/null 2>&1 &)
until [ -s alive ]; do sleep 0.05; done
${DONE}`)
    await place.ready()
    expect((await place.ralph(once())).code).toBe(0)
    const size = () => readFileSync(place.at('project/alive'), 'utf8').length
    const before = size()
    await delay(400)
    expect(size()).toBe(before)
  })

  test('works in the worktree of its task and commits there, but cannot link it elsewhere', {
    timeout: 60_000,
  }, async () => {
    const place = openPlace(`cat > /dev/null
echo x >> work; git add work; git commit -qm work
( echo "gitdir: /tmp/evil" > .git && echo GOT ) > got 2>&1
( rm -f .git && echo GOT ) >> got 2>&1
( mv .git aside && echo GOT ) >> got 2>&1
( for file in gitdir commondir; do echo /tmp/evil > "$(git rev-parse --git-dir)/$file" && echo GOT; done ) >> got 2>&1
( git config core.fsmonitor ./evil && echo GOT ) >> got 2>&1
git add got; git commit -qm got
${DONE}`)
    writeFileSync(place.at('project/tasks.json'), TASKS)
    await place.ready()
    await place.run([
      'sh',
      '-c',
      'printf ".ralph/\\ntasks.json\\n" > .gitignore; git add .gitignore; git commit -qm ignore',
    ])
    const ran = await place.ralph(BUILD)
    expect(ran.code, ran.stdout + ran.stderr).toBe(0)
    const got = readFileSync(place.at('project/got'), 'utf8')
    expect(got).not.toContain('GOT')
    expect(got).not.toBe('')
    const { stdout } = await place.run(['git', 'log', '--format=%s'])
    expect(stdout.split('\n')).toEqual(expect.arrayContaining(['work', 'got']))
  })

  describe('is not kept from', () => {
    test('a key that came while it worked, until its next command', { timeout: 30_000 }, async () => {
      const place = openPlace(`cat > /dev/null
touch ready; until [ -e come ]; do sleep 0.05; done
cat "$HOME/.netrc" > by-agent 2>&1
${DONE}`)
      await place.ready()
      const check = ['--check', 'cat "$HOME/.netrc" > by-check 2>&1; true']
      const running = place.ralph(once(...check))
      while (!existsSync(place.at('project/ready'))) await delay(50)
      writeFileSync(place.at('home/.netrc'), 'a-key', { mode: 0o644 })
      writeFileSync(place.at('project/come'), '')
      expect((await running).code).toBe(0)
      expect(readFileSync(place.at('project/by-agent'), 'utf8')).toBe('a-key')
      expect(readFileSync(place.at('project/by-check'), 'utf8')).not.toContain('a-key')
    })

    test('filling the disk with temporary files; they go with the run', { timeout: 30_000 }, async () => {
      const place = openPlace(`cat > /dev/null
head -c 20000000 /dev/zero > "$TMPDIR/full" && wc -c < "$TMPDIR/full" > size
${DONE}`)
      await place.ready()
      expect((await place.ralph(once())).code).toBe(0)
      expect(readFileSync(place.at('project/size'), 'utf8').trim()).toBe('20000000')
      expect(readdirSync(place.at('tmp'))).toEqual([])
    })
  })
})
