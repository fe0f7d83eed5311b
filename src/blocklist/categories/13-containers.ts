import { type Call, has, operands, valuesOf } from '../call.ts'
import { placeOf, plainPath } from '../paths.ts'
import { type Category, onCall, programs, writes } from '../rule.ts'

const runsContainer = (call: Call): boolean =>
  /^(?:docker|podman|nerdctl)$/.test(call.name) &&
  /^(?:run|create|exec|container)$/.test(operands(call.args, ['-H', '--host', '--context', '-c'])[0] ?? '')

const SOCKET = /(?:^|\/)(?:docker|containerd|podman|crio)(?:\/\w+)?\.sock$/

/** The host's side of `-v host:container` and `--mount type=bind,source=host`. */
function mounts(call: Call): string[] {
  const volumes = valuesOf(call, 'v', 'volume').map(value => value.split(':')[0]!)
  const binds = valuesOf(call, 'mount').flatMap(value => /(?:source|src)=([^,]+)/.exec(value)?.[1] ?? [])
  return [...volumes, ...binds].filter(path => /[/.\uE002]/.test(path))
}

export const containersCategory: Category = {
  number: 13,
  title: 'container escape',
  programs: programs(
    'docker podman nerdctl curl socat nsenter chroot unshare mount insmod modprobe rmmod kexec bpftool sysctl',
  ),
  rules: [
    {
      name: 'privileged',
      denies: onCall(
        call =>
          runsContainer(call) &&
          (has(call, 'privileged') ||
            valuesOf(call, 'cap-add').some(cap =>
              /^(?:CAP_)?(?:ALL|SYS_ADMIN|SYS_PTRACE|SYS_MODULE|SYS_RAWIO|DAC_READ_SEARCH|NET_ADMIN)$/i.test(
                cap,
              ),
            ) ||
            valuesOf(call, 'security-opt').some(option => /unconfined|label[:=]disable/.test(option)) ||
            valuesOf(call, 'device').some(device => /^\/dev\/(?:sd|nvme|vd|mem|disk)/.test(device))),
      ),
      reason:
        'A privileged container is no container. Run it without; grant the single capability that is missing, if any.',
    },
    {
      name: 'host-namespace',
      denies: onCall(
        call =>
          runsContainer(call) && valuesOf(call, 'pid', 'userns', 'ipc', 'uts', 'cgroupns').includes('host'),
      ),
      reason:
        'This lets the container see and touch the processes of the machine. Leave its namespaces alone.',
    },
    {
      name: 'mount-host',
      denies: onCall(
        call =>
          runsContainer(call) &&
          mounts(call).some(
            path =>
              ['root', 'system', 'home', 'unset'].includes(placeOf(path, call.cwd)) &&
              !/^\/(?:etc\/(?:localtime|timezone|ssl)|dev\/(?:null|shm|dri))/.test(path) &&
              !SOCKET.test(path),
          ),
      ),
      reason: 'This gives the container the files of the machine. Mount the project: -v "$PWD":/app.',
    },
    {
      name: 'docker-socket',
      denies: onCall(
        call =>
          (runsContainer(call) && mounts(call).some(path => SOCKET.test(path))) ||
          (call.name === 'curl' && valuesOf(call, 'unix-socket').some(path => SOCKET.test(path))) ||
          (call.name === 'socat' && call.args.some(arg => SOCKET.test(arg))),
      ),
      reason:
        "The engine's socket is as good as root on the machine. Use the docker command for what you need.",
    },
    {
      name: 'enter-host',
      denies: onCall(
        call =>
          call.name === 'nsenter' ||
          (call.name === 'chroot' && /^\/(?:host|mnt|rootfs)/.test(operands(call.args)[0] ?? '')) ||
          (call.name === 'unshare' && has(call, 'm', 'mount', 'p', 'pid')) ||
          (call.name === 'mount' &&
            operands(call.args, ['-t', '-o']).some(path =>
              /^\/dev\/(?:sd|nvme|vd|xvd|disk|mapper)/.test(path),
            )),
      ),
      reason:
        'This leaves the container for the machine. Stay inside: install what is missing, or say in your answer what you cannot reach.',
    },
    {
      name: 'kernel',
      any: true,
      denies: onCall(
        call =>
          /^(?:insmod|modprobe|rmmod|kexec|bpftool)$/.test(call.name) ||
          (call.name === 'sysctl' &&
            (has(call, 'w', 'write', 'p', 'load') || operands(call.args).some(arg => arg.includes('=')))) ||
          writes(call).some(path =>
            /^\/(?:proc\/sys|sys\/(?:fs\/cgroup|kernel|module)|proc\/sysrq-trigger|proc\/\w+\/mem)/.test(
              plainPath(path, call.cwd),
            ),
          ),
      ),
      reason: 'This changes the kernel that all containers share. Work with the kernel as it is.',
    },
  ],
}
