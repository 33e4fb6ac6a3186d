import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)
/** The words of npm, or of the system, for a registry that does not answer. */
const UNREACHABLE = /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH/

/**
 * Installs packages in a folder, without their scripts. The project does not depend on them: only tests in their full
 * form need them.
 *
 * @returns false if the npm registry cannot be reached, so that the test is left out
 * @throws Error with the output of npm, if it fails for another reason
 */
export async function npmInstall(folder: string, packages: readonly string[]): Promise<boolean> {
  try {
    await run('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', ...packages], { cwd: folder })
    return true
  } catch (error) {
    if (UNREACHABLE.test(String((error as { readonly stderr?: unknown }).stderr))) return false
    throw error
  }
}
