import { type Call, has, operands, valuesOf } from '../call.ts'
import { type Category, onCall, programs } from '../rule.ts'
import { isShell } from '../wrappers.ts'

const LOCAL =
  /^(?:\w+:\/\/)?(?:[^@/]*@)?(?:localhost|127(?:\.\d+){3}|0\.0\.0\.0|\[?::1\]?|host\.docker\.internal|[\w-]+\.(?:local|test|localhost))(?=[:/?#]|$)/

const isCurl = (call: Call): boolean => /^(?:curl|xh|xhs|http|https)$/.test(call.name)

const urls = (call: Call): string[] =>
  [...operands(call.args), ...valuesOf(call, 'url')].filter(arg =>
    /^\w+:\/\/|^[\w.-]+\.[a-z]{2,}(?:[:/]|$)|^localhost/.test(arg),
  )

const isLocal = (call: Call): boolean => {
  const found = urls(call)
  return found.length > 0 && found.every(url => LOCAL.test(url))
}

/** What curl sends from a file or its input: `-d @x`, `-F f=@x`, `-T x`. */
function sendsFile(call: Call): boolean {
  if (isCurl(call)) {
    const data = valuesOf(
      call,
      'd',
      'data',
      'data-binary',
      'data-raw',
      'data-ascii',
      'data-urlencode',
      'json',
    )
    const forms = valuesOf(call, 'F', 'form')
    return (
      data.some(value => /^(?:[\w-]+)?@/.test(value)) ||
      forms.some(value => /=[@<]/.test(value)) ||
      call.args.some(arg => /^-[a-zA-Z]*T|^--upload-file/.test(arg)) ||
      (call.name !== 'curl' && call.args.some(arg => /^[\w-]+=?@/.test(arg)))
    )
  }
  return call.name === 'wget' && call.args.some(arg => /^--(?:post|body)-file/.test(arg))
}

const READERS = /^(?:cat|base64|env|printenv|xxd|od|tar|zip|gzip|head|tail|openssl|gpg|history|set|security)$/

/** Hosts in the way of scp and rsync: `host:path`, `user@host:path`. */
const isRemote = (word: string): boolean =>
  /^(?:[\w.-]+@)?[\w.-]{2,}:(?!\/\/)|^(?:rsync|sftp|scp):\/\//.test(word) && !LOCAL.test(word)

const DROPS =
  /(?:transfer\.sh|file\.io|0x0\.st|ix\.io|termbin\.com|pastebin\.com|paste\.rs|webhook\.site|requestbin|oastify\.com|burpcollaborator|ngrok\.(?:io|app|dev)|interact\.sh|pipedream\.net|dpaste)/

export const exfiltrationCategory: Category = {
  number: 6,
  title: 'exfiltration',
  programs: programs(
    'curl xh xhs http https wget dig nslookup host ping scp rsync rclone sftp ftp lftp croc wormhole nc ncat netcat socat telnet ngrok localtunnel lt bore pagekite cloudflared ssh mail mailx mutt sendmail msmtp swaks',
  ),
  rules: [
    {
      name: 'send-file',
      denies: onCall(call => sendsFile(call) && !isLocal(call)),
      reason:
        'This sends a file to another machine. Test against a server on localhost; sending anything further is for a person.',
    },
    {
      name: 'send-output',
      denies: onCall(
        call =>
          (isCurl(call) || call.name === 'wget' || /^(?:dig|nslookup|host|ping)$/.test(call.name)) &&
          !isLocal(call) &&
          call.within.some(inner => READERS.test(inner.name)),
      ),
      reason:
        'This puts the contents of files or of the environment into a request. Send only what you write out.',
    },
    {
      name: 'copy-out',
      denies: onCall(call => {
        if (!/^(?:scp|rsync|rclone|sftp|ftp|lftp|croc|wormhole)$/.test(call.name)) return false
        const paths = operands(call.args, [
          '-e',
          '-i',
          '-P',
          '-p',
          '-o',
          '-F',
          '-l',
          '--rsh',
          '--exclude',
          '--include',
        ])
        if (/^(?:croc|wormhole)$/.test(call.name)) return paths[0] === 'send'
        if (call.name === 'rclone')
          return (
            /^(?:copy|sync|move|copyto|moveto)$/.test(paths[0] ?? '') && /^[\w-]+:/.test(paths.at(-1) ?? '')
          )
        if (/^l?s?ftp$/.test(call.name)) return paths.some(path => !LOCAL.test(path))
        return paths.length > 1 && isRemote(paths.at(-1)!)
      }),
      reason: 'This copies files to another machine. Leave them in the project; a person takes them further.',
    },
    {
      name: 'pipe-out',
      denies: onCall(call => {
        if (!/^(?:nc|ncat|netcat|socat|telnet)$/.test(call.name)) return false
        if (has(call, 'z', 'l', 'listen', 'h', 'help') || operands(call.args).some(arg => LOCAL.test(arg)))
          return false
        return call.input.calls.length > 0 || call.redirects.some(({ op }) => op.startsWith('<'))
      }),
      reason: 'This sends data to another machine as it is. Talk to a server on localhost.',
    },
    {
      name: 'raw-socket',
      any: true,
      denies: onCall(
        call =>
          !isShell(call.name) &&
          call.redirects.some(
            ({ target }) => /^\/dev\/(?:tcp|udp)\//.test(target) && !LOCAL.test(target.split('/')[3] ?? ''),
          ),
      ),
      reason:
        'This opens a connection to another machine by hand. Use a client that says what it does, against localhost.',
    },
    {
      name: 'drop-site',
      denies: onCall(
        call => (isCurl(call) || call.name === 'wget') && urls(call).some(url => DROPS.test(url)),
      ),
      reason: 'This talks to a site that takes data from anyone. Leave what you found in the project.',
    },
    {
      name: 'tunnel',
      denies: onCall(
        call =>
          /^(?:ngrok|localtunnel|lt|bore|pagekite)$/.test(call.name) ||
          (call.name === 'cloudflared' && call.args[0] === 'tunnel') ||
          (call.name === 'ssh' && has(call, 'R') && !has(call, 'V')),
      ),
      reason: 'This opens this machine to the network. Work with localhost.',
    },
    {
      name: 'mail-out',
      denies: onCall(call => /^(?:mail|mailx|mutt|sendmail|msmtp|swaks)$/.test(call.name)),
      reason: 'This sends mail. Write what you want to say into your answer.',
    },
  ],
}
