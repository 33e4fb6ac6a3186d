import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { temporaryFolder } from '../../temporary-folder.js'

const PACKAGE = fileURLToPath(new URL('../../..', import.meta.url))
const PATHS = (process.env['PATH'] ?? '').split(':')

/** Takes the place of curl on a machine without it, for the options that the console's commands have. */
const INSTEAD_OF_CURL = `curl() { node -e '
  const given = { method: "POST", headers: {}, data: [] }
  let url = ""
  const args = process.argv.slice(1)
  while (args.length > 0) {
    const arg = args.shift()
    if (arg === "-d") given.data.push(args.shift())
    else if (arg === "-H") {
      const [name, value] = args.shift().split(/: (.*)/s)
      given.headers[name] = value
    } else url = arg
  }
  const headers = { "content-type": "application/x-www-form-urlencoded", ...given.headers }
  fetch(url, { method: "POST", headers, body: given.data.join("&") })
    .then((answer) => answer.text())
    .then((text) => process.stdout.write(text))
' -- "$@"; }
`

/** Runs a command for curl in a shell. @returns the answer, which is JSON */
export async function runCurl(command: string, env: Readonly<Record<string, string>> = {}): Promise<unknown> {
  const isInstalled = PATHS.some((folder) => existsSync(`${folder}/curl`))
  const script = isInstalled ? command : INSTEAD_OF_CURL + command
  const { stdout } = await promisify(execFile)('/bin/sh', ['-c', script], { env: { ...process.env, ...env } })
  return JSON.parse(stdout)
}

/** Runs a program with Node, in a folder that has this package installed. @returns the lines that it prints */
export async function runNode(program: string, env: Readonly<Record<string, string>>): Promise<string[]> {
  const folder = await temporaryFolder()
  try {
    await mkdir(`${folder.path}/node_modules`)
    await symlink(PACKAGE, `${folder.path}/node_modules/alcove`, 'dir')
    await writeFile(`${folder.path}/program.mjs`, program)
    const options = { cwd: folder.path, env: { ...process.env, ...env } }
    const { stdout } = await promisify(execFile)(process.execPath, ['program.mjs'], options)
    return stdout.trimEnd().split('\n')
  } finally {
    await folder.remove()
  }
}

/** Reads the clipboard of a page. Its context needs the right to do so. */
export async function clipboardOf(page: Page): Promise<string> {
  return await page.evaluate<string>('navigator.clipboard.readText()')
}
