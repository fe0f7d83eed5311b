import { type Call, valuesOf } from '../call.ts'
import { writes } from '../effects.ts'
import { placeOf, plainPath } from '../paths.ts'
import type { Category } from '../rule.ts'

const ENGINES = 'docker podman nerdctl'
const RUNS = /^(?:run|create|exec|container)\b/
const SOCKET = /(?:^|\/)(?:docker|containerd|podman|crio)(?:\/\w+)?\.sock(?::|$)/

/** The host's side of `-v host:container` and `--mount type=bind,source=host`. */
function mounts(call: Call): string[] {
  const volumes = valuesOf(call, 'v volume').map(value => value.split(':')[0]!)
  const binds = valuesOf(call, 'mount').flatMap(value => /(?:source|src)=([^,]+)/.exec(value)?.[1] ?? [])
  return [...volumes, ...binds].filter(path => /[/.\uE002]/.test(path))
}

const mountsHost = (call: Call): boolean =>
  mounts(call).some(
    path =>
      ['root', 'system', 'home', 'unset'].includes(placeOf(path, call)) &&
      !/^\/(?:etc\/(?:localtime|timezone|ssl)|dev\/(?:null|shm|dri))/.test(path) &&
      !SOCKET.test(path),
  )

/** An option by which a container is no longer apart from the machine. */
const gives =
  (options: string, values: RegExp) =>
  (call: Call): boolean =>
    valuesOf(call, options).some(value => values.test(value))

const CAPABILITIES = /^(?:CAP_)?(?:ALL|SYS_ADMIN|SYS_PTRACE|SYS_MODULE|SYS_RAWIO|DAC_READ_SEARCH|NET_ADMIN)$/i
const KERNEL = /^\/(?:proc\/sys|sys\/(?:fs\/cgroup|kernel|module)|proc\/sysrq-trigger|proc\/\w+\/mem)/

export const containersCategory: Category = {
  number: 13,
  title: 'container escape',
  rules: {
    privileged: [
      'A privileged container is no container. Run it without; grant the single capability that is missing, if any.',
      { program: ENGINES, operand: RUNS, flags: 'privileged' },
      { program: ENGINES, operand: RUNS, when: gives('cap-add', CAPABILITIES) },
      { program: ENGINES, operand: RUNS, when: gives('security-opt', /unconfined|label[:=]disable/) },
      { program: ENGINES, operand: RUNS, when: gives('device', /^\/dev\/(?:sd|nvme|vd|mem|disk)/) },
    ],
    'host-namespace': [
      'This lets the container see and touch the processes of the machine. Leave its namespaces alone.',
      { program: ENGINES, operand: RUNS, when: gives('pid userns ipc uts cgroupns', /^host$/) },
    ],
    'mount-host': [
      'This gives the container the files of the machine. Mount the project: -v "$PWD":/app.',
      { program: ENGINES, operand: RUNS, when: mountsHost },
    ],
    'docker-socket': [
      "The engine's socket is as good as root on the machine. Use the docker command for what you need.",
      { program: ENGINES, operand: RUNS, when: call => mounts(call).some(path => SOCKET.test(path)) },
      { program: 'curl', when: gives('unix-socket', SOCKET) },
      { program: 'socat', when: call => call.args.some(arg => SOCKET.test(arg)) },
    ],
    'enter-host': [
      'This leaves the container for the machine. Stay inside: install what is missing, or say in your answer what you cannot reach.',
      { program: 'nsenter' },
      { program: 'chroot', operand: /^\/(?:host|mnt|rootfs)/ },
      { program: 'unshare', flags: 'm mount p pid' },
      { program: 'mount', text: /(?:^| )\/dev\/(?:sd|nvme|vd|xvd|disk|mapper)/ },
    ],
    kernel: [
      'This changes the kernel that all containers share. Work with the kernel as it is.',
      { program: 'insmod modprobe rmmod kexec bpftool' },
      { program: 'sysctl', flags: 'w write p load' },
      { program: 'sysctl', text: /(?:^| )[^-\s]\S*=/ },
      { when: call => writes(call).some(path => KERNEL.test(plainPath(path, call))) },
    ],
  },
}
