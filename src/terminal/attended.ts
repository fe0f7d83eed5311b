import { isatty } from 'node:tty'

/** Whether somebody is there to answer. By number: `process.stdin` costs time to make, and nobody may read it. */
export const isAttended = ({ json, quiet }: { json?: boolean; quiet?: boolean }): boolean =>
  isatty(0) && isatty(1) && !json && !quiet
