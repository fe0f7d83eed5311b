import { type Call, has, operands, verbs } from '../call.ts'
import { type Category, onCall, programs, writes } from '../rule.ts'

/** A disk or a part of one; not null, a terminal or a pipe. */
const isDisk = (path: string): boolean =>
  /^\/dev\/(?:r?disk\d|[shv]d[a-z\uE000\uE001]|xvd|nvme|mmcblk|md\d|dm-|mapper\/|loop\d|mem|sr\d)/.test(
    path,
  ) || path === '/dev/\uE000'

const MAKERS = /^(?:mkfs(?:\.\w+)?|mke2fs|mkswap|newfs\w*|wipefs|blkdiscard|badblocks)$/
const TABLES = /^(?:fdisk|sfdisk|cfdisk|gdisk|sgdisk|parted|gparted)$/
const REMOVERS = /^(?:lvremove|vgremove|pvremove|lvreduce|mdadm|zpool|zfs|cryptsetup|hdparm|nvme)$/

function removesVolume(call: Call): boolean {
  if (!REMOVERS.test(call.name)) return false
  if (/^(?:lv|vg|pv)/.test(call.name)) return true
  return call.args.some(arg =>
    /^(?:destroy|labelclear|luksFormat|luksErase|erase|format|sanitize|--zero-superblock|--security-erase\S*)$/.test(
      arg,
    ),
  )
}

export const disksCategory: Category = {
  number: 2,
  title: 'disks and boot',
  programs: programs(
    'mkfs mke mkswap newfs wipefs blkdiscard badblocks fdisk sfdisk cfdisk gdisk sgdisk parted gparted diskutil lvremove vgremove pvremove lvreduce mdadm zpool zfs cryptsetup hdparm nvme grub2-install grub2-mkconfig grub update-grub bootctl bless nvram flashrom shutdown reboot halt poweroff init telinit systemctl',
  ),
  rules: [
    {
      name: 'format-disk',
      denies: onCall(
        call => MAKERS.test(call.name) && operands(call.args).some(path => path.startsWith('/dev/')),
      ),
      reason: 'This erases a disk. To try file systems, make an image file in the project and format that.',
    },
    {
      name: 'write-disk',
      any: true,
      denies: onCall(call => [...writes(call), ...(call.name === 'shred' ? call.args : [])].some(isDisk)),
      reason: 'This writes over a disk as a device. Write to a file in the project.',
    },
    {
      name: 'partition',
      denies: onCall(
        call =>
          (TABLES.test(call.name) &&
            !has(call, 'l', 'list', 'd', 'dump', 'version', 'p', 'print') &&
            !call.args.includes('print')) ||
          (call.name === 'diskutil' &&
            /^(?:erase|partition|reformat|zero|secureErase|apfs)/i.test(call.args[0] ?? '') &&
            !call.args.includes('list')),
      ),
      reason:
        'This changes the partitions of a disk. Only a person may do that; say in your answer why it is needed.',
    },
    {
      name: 'remove-volume',
      denies: onCall(removesVolume),
      reason: 'This destroys a volume. Only a person may do that; say in your answer why it is needed.',
    },
    {
      name: 'boot-loader',
      denies: onCall(
        call =>
          /^(?:grub2?-install|update-grub|grub2?-mkconfig|bootctl|bless|nvram|flashrom)$/.test(call.name) &&
          !/^(?:status|list|-p)$/.test(call.args[0] ?? ''),
      ),
      reason:
        'This changes how the machine boots. Only a person may do that; say in your answer why it is needed.',
    },
    {
      name: 'power-off',
      denies: onCall(
        call =>
          (/^(?:shutdown|reboot|halt|poweroff)$/.test(call.name) && !has(call, 'c', 'help')) ||
          ((call.name === 'init' || call.name === 'telinit') && /^[06]$/.test(call.args[0] ?? '')) ||
          (call.name === 'systemctl' &&
            /^(?:poweroff|reboot|halt|kexec|suspend|hibernate)$/.test(verbs(call).verb)),
      ),
      reason:
        'This stops the machine that you work on. Restart the program that you need restarted, not the machine.',
    },
  ],
}
