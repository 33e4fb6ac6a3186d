import msgReader from '@kenjiuno/msgreader'
import { ExtractionError } from '../../../../src/ports/index.js'

type Library = InstanceType<typeof msgReader.default>

/** An entry of the directory, with the numbers of the entries beside it, and of the first one inside it. */
interface Entry {
  readonly type: number
  readonly sizeBlock: number
  readonly previousProperty: number
  readonly nextProperty: number
  readonly childProperty: number
}

/** The part of the library that reads the container. A damaged one would keep it busy for ever. */
interface Container {
  parse(): void
  rootFolder(): { fileNames(): readonly string[] }
  createPropertyHierarchy(entries: readonly Entry[], folder: Entry | undefined): void
  getBlockAt(block: number): unknown
  getNextBlock(block: number): number
  getNextBlockSmall(block: number): number
  getChainByBlockSmall(stream: { readonly startBlock: number; readonly sizeBlock: number }): number[]
}

const STORAGE = 1
const STREAM = 2
const SMALL_BLOCK_BYTES = 64
/** A block has 512 bytes or more, and belongs to one chain, which the library follows a few times. */
const BYTES_PER_STEP = 64
const END_OF_CHAIN = -2

/**
 * Opens the OLE container of a mail. Its methods throw an `ExtractionError` `ERR_CORRUPT_FILE` for a directory that is no
 * tree, and for chains of blocks without an end.
 */
export function openMail(bytes: Buffer): Library {
  const library = new msgReader.default(new Uint8Array(bytes).buffer)
  const container = containerOf(library)
  boundChains(container, bytes.length)
  const createHierarchy = container.createPropertyHierarchy.bind(container)
  container.createPropertyHierarchy = (entries, root) => {
    checkDirectory(entries, bytes.length)
    // The original calls itself for each folder.
    container.createPropertyHierarchy = createHierarchy
    createHierarchy(entries, root)
  }
  return library
}

/** The names of the streams that are in no folder, in lower case. */
export function topLevelNames(bytes: Buffer): ReadonlySet<string> {
  const container = containerOf(openMail(bytes))
  container.parse()
  return new Set(
    container
      .rootFolder()
      .fileNames()
      .map((name) => name.toLowerCase()),
  )
}

function containerOf(library: Library): Container {
  return (library as unknown as { readonly reader: Container }).reader
}

/** Refuses a directory that reaches an entry twice, and streams that are longer than the file. */
function checkDirectory(entries: readonly Entry[], sizeBytes: number): void {
  const reached = new Set([0])
  const waiting = [entries[0]?.childProperty ?? -1]
  let streamBytes = 0
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    const entry = entries[at]
    if (entry === undefined) continue
    if (reached.has(at)) throw damaged('its directory names an entry twice')
    reached.add(at)
    waiting.push(entry.previousProperty, entry.nextProperty)
    if (entry.type === STORAGE) waiting.push(entry.childProperty)
    if (entry.type === STREAM) streamBytes += Math.max(0, entry.sizeBlock)
  }
  if (streamBytes > sizeBytes) throw damaged('its streams are longer than the file')
}

function boundChains(container: Container, sizeBytes: number): void {
  let steps = Math.ceil(sizeBytes / BYTES_PER_STEP)
  const countStep = (): void => {
    steps -= 1
    if (steps < 0) throw damaged('its chains of blocks have no end')
  }
  const getBlockAt = container.getBlockAt.bind(container)
  const getNextBlock = container.getNextBlock.bind(container)
  container.getBlockAt = (block) => {
    countStep()
    return getBlockAt(block)
  }
  container.getNextBlock = (block) => {
    countStep()
    return getNextBlock(block)
  }
  container.getChainByBlockSmall = ({ startBlock, sizeBlock }) => {
    const chain: number[] = []
    const most = Math.ceil(sizeBlock / SMALL_BLOCK_BYTES)
    for (let block = startBlock; block !== END_OF_CHAIN && chain.length < most; ) {
      chain.push(block)
      block = container.getNextBlockSmall(block)
    }
    return chain
  }
}

function damaged(damage: string): ExtractionError {
  return new ExtractionError('ERR_CORRUPT_FILE', `The mail is damaged: ${damage}`)
}
