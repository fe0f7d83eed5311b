import { isatty } from 'node:tty'

/** Whether somebody is there to answer. By descriptor, because creating `process.stdin` costs time. */
export const isAttended = ({
  json,
  quiet,
  detach,
}: {
  json?: boolean
  quiet?: boolean
  detach?: boolean
}): boolean => isatty(0) && isatty(1) && !json && !quiet && !detach
