import { connect } from '@lancedb/lancedb'
import { FolderFileStore } from '../../dist/adapters/files/index.js'
import { LanceDbVectorIndex } from '../../dist/adapters/lancedb/index.js'
import { WorkerTextExtractor } from '../../dist/adapters/text-extraction/index.js'
import { SqliteLexicalIndex } from '../../dist/adapters/words/index.js'
import type {
  ExtractedPiece,
  LexicalRows,
  StoredFile,
  VectorCollection,
  VectorRows,
} from '../../dist/src/ports/index.js'
import { SEED, seededRandom } from '../seeded-random.js'
import { type ChildOrder, type Hook, tell } from './soak/soak-protocol.js'

const random = seededRandom(SEED)

/** Reports each step, and kills the process at the requested one. */
export class Deadly {
  readonly #hook: ChildOrder['hook']
  readonly #phases = new Map<string, number>()
  #times = 0

  constructor(hook: ChildOrder['hook']) {
    this.#hook = hook
  }

  async die(at: Hook): Promise<void> {
    if (at !== this.#hook?.at) return
    this.#times += 1
    if (this.#times < this.#hook.time) return
    await tell({ type: 'hook', hook: at })
    process.kill(process.pid, 'SIGKILL')
  }

  async during<T>(phase: string, work: () => Promise<T>): Promise<T> {
    this.#change(phase, 1)
    try {
      return await work()
    } finally {
      this.#change(phase, -1)
    }
  }

  #change(phase: string, by: number): void {
    this.#phases.set(phase, (this.#phases.get(phase) ?? 0) + by)
    const now = [...this.#phases].filter(([, count]) => count > 0).map(([name]) => name)
    process.send?.({ type: 'phase', phase: now.sort().join(' + ') || 'idle' })
  }
}

export class DeadlyFileStore extends FolderFileStore {
  readonly #deadly: Deadly

  constructor(folder: string, deadly: Deadly) {
    super(folder)
    this.#deadly = deadly
  }

  override async write(...args: Parameters<FolderFileStore['write']>): Promise<StoredFile> {
    const stored = await this.#deadly.during('upload', () => super.write(...args))
    await this.#deadly.die('files:written')
    return stored
  }

  override async delete(key: string): Promise<void> {
    await this.#deadly.die('files:deleting')
    await this.#deadly.during('delete a file', () => super.delete(key))
    await this.#deadly.die('files:deleted')
  }
}

export class DeadlyTextExtractor extends WorkerTextExtractor {
  readonly #deadly: Deadly

  constructor(deadly: Deadly) {
    super()
    this.#deadly = deadly
  }

  override async *extract(...args: Parameters<WorkerTextExtractor['extract']>): AsyncGenerator<ExtractedPiece> {
    const pieces = super.extract(...args)[Symbol.asyncIterator]()
    try {
      for (;;) {
        const next = await this.#deadly.during('extract', () => pieces.next())
        if (next.done === true) return
        yield next.value
      }
    } finally {
      await pieces.return(undefined)
    }
  }
}

/** The index is built from few rows on, because lives of the process are short. */
const INDEX_FROM_ROWS = 3_000

export class DeadlyVectorIndex extends LanceDbVectorIndex {
  readonly #deadly: Deadly

  constructor(folder: string, deadly: Deadly) {
    super(folder, { indexFromRows: INDEX_FROM_ROWS })
    this.#deadly = deadly
  }

  override async add(collection: VectorCollection, rows: VectorRows): Promise<void> {
    await this.#deadly.during('add vectors', () => super.add(collection, rows))
    await this.#deadly.die('vectors:added')
  }

  override async deleteDocument(name: string, documentId: number, fromChunk: number): Promise<void> {
    await this.#deadly.die('vectors:deleting')
    await this.#deadly.during('delete vectors', () => super.deleteDocument(name, documentId, fromChunk))
    await this.#deadly.die('vectors:deleted')
  }

  override async drop(name: string): Promise<void> {
    await this.#deadly.die('collection:dropping')
    await this.#deadly.during('drop a collection', () => super.drop(name))
    await this.#deadly.die('collection:dropped')
  }
}

export class DeadlyLexicalIndex extends SqliteLexicalIndex {
  readonly #deadly: Deadly

  constructor(folder: string, deadly: Deadly) {
    super(folder)
    this.#deadly = deadly
  }

  override async add(collection: string, rows: LexicalRows): Promise<void> {
    await this.#deadly.during('add words', () => super.add(collection, rows))
    await this.#deadly.die('words:added')
  }

  override async deleteDocument(collection: string, documentId: number, fromChunk: number): Promise<void> {
    await this.#deadly.die('words:deleting')
    await this.#deadly.during('delete words', () => super.deleteDocument(collection, documentId, fromChunk))
    await this.#deadly.die('words:deleted')
  }

  override async drop(collection: string): Promise<void> {
    await this.#deadly.die('words:dropping')
    await this.#deadly.during('drop words', () => super.drop(collection))
    await this.#deadly.die('words:dropped')
  }
}

/** Reports every compaction of this process and kills the process in the middle of it. */
export async function watchCompaction(deadly: Deadly): Promise<void> {
  const connection = await connect('memory://')
  const table = await connection.createTable('any', [{ id: 1 }])
  const prototype = Object.getPrototypeOf(table) as { optimize: (...args: unknown[]) => Promise<unknown> }
  const { optimize } = prototype
  prototype.optimize = async function (...args) {
    return await deadly.during('compact', async () => {
      const compacting = optimize.apply(this, args)
      await new Promise((resolve) => setTimeout(resolve, random() * 10))
      await deadly.die('compaction:begun')
      return await compacting
    })
  }
  connection.close()
}
