import { copyFile, mkdtemp, rm, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { UnsupportedError } from '../../src/ports/index.js'

const { resolve } = createRequire(import.meta.url)
/** The data for the neural recogniser, which is as good as the larger data for it and loads faster. */
const WORDS = '4.0.0_best_int'
/** The data for the older recogniser, which alone finds the orientation of a page. */
const ORIENTATION = '4.0.0'

/** The files of the installed packages. */
export interface TesseractPackages {
  /** The data of each language. */
  readonly languages: readonly LanguageFile[]
  /** The folder with the data for the orientation of pages; undefined if that package is not installed. */
  readonly orientationFolder: string | undefined
}

interface LanguageFile {
  readonly code: string
  readonly path: string
}

/**
 * Finds the packages of the recogniser and of its languages. They are optional.
 * @throws UnsupportedError that names the command that installs what is missing
 */
export function findPackages(languages: readonly string[]): TesseractPackages {
  const names = ['tesseract.js', ...languages.map(nameOf)]
  const missing = names.filter((name) => folderOf(name) === undefined)
  if (missing.length > 0) {
    const all = [...new Set([...missing, ...(folderOf(nameOf('osd')) === undefined ? [nameOf('osd')] : [])])]
    throw new UnsupportedError(
      `text recognition in ${languages.join('+')} needs packages that are not installed: run npm install ${all.join(' ')}`,
    )
  }
  const orientation = folderOf(nameOf('osd'))
  return {
    languages: languages.map((code) => {
      return { code, path: join(folderOf(nameOf(code)) ?? '', WORDS, `${code}.traineddata.gz`) }
    }),
    orientationFolder: orientation && join(orientation, ORIENTATION),
  }
}

function nameOf(code: string): string {
  return `@tesseract.js-data/${code}`
}

function folderOf(name: string): string | undefined {
  try {
    return dirname(resolve(`${name}/package.json`))
  } catch {
    return undefined
  }
}

/** The folder from which the recogniser reads its languages. It reads all of them from one. */
export class LanguageFolder {
  #made: Promise<string> | undefined

  constructor(
    private readonly languages: readonly LanguageFile[],
    private readonly tempDir: string = tmpdir(),
  ) {}

  /** Makes the folder for the first call, if there are several languages. */
  async path(): Promise<string> {
    const [first, ...others] = this.languages
    if (first !== undefined && others.length === 0) return dirname(first.path)
    this.#made ??= this.#make()
    return await this.#made.catch((error: unknown) => {
      this.#made = undefined
      throw error
    })
  }

  async #make(): Promise<string> {
    const folder = await mkdtemp(join(this.tempDir, 'alcove-languages-'))
    await Promise.all(this.languages.map(async ({ path }) => await link(path, join(folder, basename(path)))))
    return folder
  }

  async remove(): Promise<void> {
    const made = await this.#made?.catch(() => undefined)
    this.#made = undefined
    if (made !== undefined) await rm(made, { recursive: true, force: true })
  }
}

/** Makes a link, of which a killed process leaves only a name behind, or a copy where the system allows no links. */
async function link(path: string, place: string): Promise<void> {
  await symlink(path, place).catch(async () => await copyFile(path, place))
}
