import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { HttpsTransportOptions } from '../../../adapters/https-transport/index.js'

const CHILD = join(import.meta.dirname, 'post-child.mjs')

/** Options that the child process reads as JSON. */
export interface ChildOptions extends Pick<HttpsTransportOptions, 'allow' | 'certificateAuthorities' | 'deadlineMs'> {
  /** Addresses to which every name resolves. */
  readonly answers?: readonly string[]
}

/** The outcome of a post in a child process with a larger environment. Settles when the process has ended. */
export async function postInChild(
  url: string,
  options: ChildOptions,
  env: Readonly<Record<string, string>> = {},
): Promise<unknown> {
  const { stdout } = await promisify(execFile)(process.execPath, [CHILD, url, JSON.stringify(options)], {
    env: { ...process.env, NODE_EXTRA_CA_CERTS: '', ...env },
    timeout: 30_000,
  })
  return JSON.parse(stdout)
}
