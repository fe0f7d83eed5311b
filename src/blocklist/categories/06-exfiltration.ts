import { type Call, operands, valuesOf } from '../call.ts'
import type { Category } from '../rule.ts'
import { isShell } from '../wrappers.ts'

const LOCAL =
  /^(?:\w+:\/\/)?(?:[^@/]*@)?(?:localhost|127(?:\.\d+){3}|0\.0\.0\.0|\[?::1\]?|host\.docker\.internal|[\w-]+\.(?:local|test|localhost))(?=[:/?#]|$)/

const CLIENTS = 'curl xh xhs http https'

const urls = (call: Call): string[] =>
  [...operands(call.args), ...valuesOf(call, 'url')].filter(arg =>
    /^\w+:\/\/|^[\w.-]+\.[a-z]{2,}(?:[:/]|$)|^localhost/.test(arg),
  )

const isLocal = (call: Call): boolean => {
  const found = urls(call)
  return found.length > 0 && found.every(url => LOCAL.test(url))
}

/** What a client of HTTP sends from a file or its input: `-d @x`, `-F f=@x`, `-T x`. */
const sendsFile = (call: Call): boolean =>
  !isLocal(call) &&
  (valuesOf(call, 'd data data-binary data-raw data-ascii data-urlencode json').some(value =>
    /^[\w-]*@/.test(value),
  ) ||
    valuesOf(call, 'F form').some(value => /=[@<]/.test(value)) ||
    call.args.some(arg => /^-[a-zA-Z]*T|^--upload-file/.test(arg)) ||
    (call.name !== 'curl' && call.args.some(arg => /^[\w-]+=?@/.test(arg))))

const READERS = /^(?:cat|base64|env|printenv|xxd|od|tar|zip|gzip|head|tail|openssl|gpg|history|set|security)$/

/** Hosts in the way of scp and rsync: `host:path`, `user@host:path`. */
const isRemote = (word: string): boolean =>
  /^(?:[\w.-]+@)?[\w.-]{2,}:(?!\/\/)|^(?:rsync|sftp|scp):\/\//.test(word) && !LOCAL.test(word)

const copiesOut = (call: Call): boolean => {
  const paths = operands(call.args, '-e -i -P -p -o -F -l --rsh --exclude --include')
  return paths.length > 1 && isRemote(paths.at(-1)!)
}

const pipesOut = (call: Call): boolean =>
  !operands(call.args).some(arg => LOCAL.test(arg)) &&
  (call.input.calls.length > 0 || call.redirects.some(({ op }) => op.startsWith('<')))

const opensSocket = (call: Call): boolean =>
  !isShell(call.name) &&
  call.redirects.some(
    ({ target }) => /^\/dev\/(?:tcp|udp)\//.test(target) && !LOCAL.test(target.split('/')[3] ?? ''),
  )

const DROPS =
  /(?:transfer\.sh|file\.io|0x0\.st|ix\.io|termbin\.com|pastebin\.com|paste\.rs|webhook\.site|requestbin|oastify\.com|burpcollaborator|ngrok\.(?:io|app|dev)|interact\.sh|pipedream\.net|dpaste)/

export const exfiltrationCategory: Category = {
  number: 6,
  title: 'exfiltration',
  rules: {
    'send-file': [
      'This sends a file to another machine. Test against a server on localhost; sending anything further is for a person.',
      { program: CLIENTS, when: sendsFile },
      { program: 'wget', text: /(?:^| )--(?:post|body)-file/, when: call => !isLocal(call) },
    ],
    'send-output': [
      'This puts the contents of files or of the environment into a request. Send only what you write out.',
      {
        program: `${CLIENTS} wget dig nslookup host ping`,
        when: call => !isLocal(call) && call.within.some(inner => READERS.test(inner.name)),
      },
    ],
    'copy-out': [
      'This copies files to another machine. Leave them in the project; a person takes them further.',
      { program: 'scp rsync', when: copiesOut },
      { program: 'rclone', operand: /^(?:copy|sync|move|copyto|moveto) (?:.* )?[\w-]+:\S*$/ },
      { program: 'sftp ftp lftp', when: call => operands(call.args).some(path => !LOCAL.test(path)) },
      { program: 'croc wormhole', operand: /^send\b/ },
    ],
    'pipe-out': [
      'This sends data to another machine as it is. Talk to a server on localhost.',
      { program: 'nc ncat netcat socat telnet', unless: 'z l listen h help', when: pipesOut },
    ],
    'raw-socket': [
      'This opens a connection to another machine by hand. Use a client that says what it does, against localhost.',
      { when: opensSocket },
    ],
    'drop-site': [
      'This talks to a site that takes data from anyone. Leave what you found in the project.',
      { program: `${CLIENTS} wget`, when: call => urls(call).some(url => DROPS.test(url)) },
    ],
    tunnel: [
      'This opens this machine to the network. Work with localhost.',
      { program: 'ngrok localtunnel lt bore pagekite' },
      { program: 'cloudflared', text: /^tunnel\b/ },
      { program: 'ssh', flags: 'R', unless: 'V' },
    ],
    'mail-out': [
      'This sends mail. Write what you want to say into your answer.',
      { program: 'mail mailx mutt sendmail msmtp swaks' },
    ],
  },
}
