import { writes } from '../effects.ts'
import type { Category } from '../rule.ts'

/** A disk or a part of one; not null, a terminal or a pipe. */
const isDisk = (path: string): boolean =>
  /^\/dev\/(?:r?disk\d|[shv]d[a-z\uE000\uE001]|xvd|nvme|mmcblk|md\d|dm-|mapper\/|loop\d|mem|sr\d)/.test(
    path,
  ) || path === '/dev/\uE000'

const ERASES =
  /(?:^| )(?:destroy|labelclear|luksFormat|luksErase|erase|format|sanitize|--zero-superblock|--security-erase\S*)(?: |$)/

export const disksCategory: Category = {
  number: 2,
  title: 'disks and boot',
  rules: {
    'format-disk': [
      'This erases a disk. To try file systems, make an image file in the project and format that.',
      { program: 'mkfs mke2fs mkswap newfs wipefs blkdiscard badblocks', text: /(?:^| )\/dev\// },
    ],
    'write-disk': [
      'This writes over a disk as a device. Write to a file in the project.',
      { when: call => writes(call).some(isDisk) },
      { program: 'shred', when: call => call.args.some(isDisk) },
    ],
    partition: [
      'This changes the partitions of a disk. Only a person may do that; say in your answer why it is needed.',
      { program: 'fdisk sfdisk cfdisk gdisk sgdisk', unless: 'l list d dump version p print' },
      { program: 'parted gparted', text: /^(?!.*\bprint\b)/, unless: 'l list version' },
      { program: 'diskutil', text: /^(?!.*\blist\b)(?:erase|partition|reformat|zero|secureErase|apfs)/i },
    ],
    'remove-volume': [
      'This destroys a volume. Only a person may do that; say in your answer why it is needed.',
      { program: 'lvremove vgremove pvremove lvreduce' },
      { program: 'mdadm zpool zfs cryptsetup hdparm nvme', text: ERASES },
    ],
    'boot-loader': [
      'This changes how the machine boots. Only a person may do that; say in your answer why it is needed.',
      { program: 'grub-install grub2-install update-grub grub-mkconfig grub2-mkconfig bless flashrom' },
      { program: 'bootctl nvram', text: /^(?!(?:status|list|-p)\b)/ },
    ],
    'power-off': [
      'This stops the machine that you work on. Restart the program that you need restarted, not the machine.',
      { program: 'shutdown reboot halt poweroff', unless: 'c help' },
      { program: 'init telinit', text: /^[06]$/ },
      { program: 'systemctl', operand: /^(?:poweroff|reboot|halt|kexec|suspend|hibernate)\b/ },
    ],
  },
}
