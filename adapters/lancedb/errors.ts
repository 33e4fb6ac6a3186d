import { AlcoveError, StorageError, StorageFullError, VectorsDamagedError } from '../../src/ports/index.js'

/** Lance tells what the system says in words, and in the number of its error. */
const FULL = /no space left on device|disk quota exceeded|\(os error (28|122)\)/i
/** What trying again may help against: a disk that fails, too many open files, too little memory, a busy device, a folder somebody still writes to. */
const PASSING = /input\/output error|too many open files|\(os error (4|5|11|12|16|23|24|39|110|116)\)/i
/** Everything else that the system says has a number. */
const SYSTEM = /([\w ,/-]+) \(os error (\d+)\)/i
/** Of these what is wrong is the table: a file is missing, or something else is in its place. */
const MISSING: ReadonlySet<string> = new Set(['2', '20', '21'])
/** What Lance itself says without any fault of a file. */
const NO_DAMAGE = /commit conflict|is closed|cancell?ed|interrupted|timed? ?out|resources exhausted|out of memory/i

/** What the disk does, its failures told as the core's errors; everything else passes. */
export async function onDisk<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw translateError(error)
  }
}

/** As {@link onDisk}, for what reads a collection: that Lance cannot make sense of its files is told as such. */
export async function reading<T>(name: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!isDamage(error)) throw translateError(error)
    throw new VectorsDamagedError(
      `the vectors of ${name} are damaged: "alcove doctor --repair" makes them again from the documents`,
      { cause: error },
    )
  }
}

function translateError(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof AlcoveError) return error
  if (FULL.test(error.message)) {
    return new StorageFullError('the disk with the vectors is full: make room, and it goes on', { cause: error })
  }
  const [, words = '', number] = SYSTEM.exec(error.message) ?? []
  const isTransient = PASSING.test(error.message)
  if (number === undefined && !isTransient) return error
  const said = number === undefined ? '' : `: ${words.trim()} (os error ${number})`
  return new StorageError(`the disk cannot read or write the vectors${said}`, { cause: error, isTransient })
}

/** Lance has no words of its own for damage: it is what no system and no circumstance is to blame for. */
function isDamage(error: unknown): boolean {
  if (!(error instanceof Error) || error instanceof AlcoveError) return false
  const isNative = 'code' in error && error.code === 'GenericFailure'
  const { message } = error
  if (!isNative || FULL.test(message) || PASSING.test(message) || NO_DAMAGE.test(message)) return false
  const number = SYSTEM.exec(message)?.[2]
  return number === undefined || MISSING.has(number)
}
