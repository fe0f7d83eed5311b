import { isatty } from 'node:tty'

/** Whether somebody is there to answer. By descriptor, because creating `process.stdin` costs time. */
export const isAttended = ({ json, quiet }: { json?: boolean; quiet?: boolean }): boolean =>
  isatty(0) && isatty(1) && !json && !quiet
