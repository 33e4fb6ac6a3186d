import { UPLOAD_TTL_BOUND_MS, type UploadRecord, type UploadRepository } from '../../../src/ports/index.js'
import { IS_CURRENT, IS_REPLACEMENT } from '../migrations/0001-initial-documents.js'
import { type Row, text } from '../tables.js'
import { inParts, KnexRepository, type Session } from './knex-repository.js'

/** The bytes of the quota that a version of a document uses. */
const QUOTA_BYTES = 'size_bytes + excess_bytes'

export class KnexUploadRepository extends KnexRepository implements UploadRepository {
  constructor(session: Session) {
    super(session, 'uploads')
  }

  async insert(upload: UploadRecord, ttlMs: number): Promise<void> {
    const row = { uuid: upload.uuid, context_id: upload.contextId, size_bytes: upload.sizeBytes }
    await this.rows.insert({ ...row, expires_ms: this.fromNow(ttlMs) })
  }

  async extend(uuid: string, ttlMs: number): Promise<boolean> {
    return (await this.#unexpired(uuid).update({ expires_ms: this.fromNow(ttlMs) })) > 0
  }

  async hold(uuid: string, sizeBytes: number, ttlMs: number): Promise<boolean> {
    const changes = { size_bytes: sizeBytes, expires_ms: this.fromNow(ttlMs) }
    return (await this.#unexpired(uuid).update(changes)) > 0
  }

  async remove(uuid: string): Promise<boolean> {
    return (await this.#unexpired(uuid).delete()) > 0
  }

  async usedBytes(contextId: number): Promise<number> {
    const { knex, name } = this.session
    const documents = knex<Row>(name('documents')).where('context_id', contextId).whereRaw(IS_CURRENT)
    const uploads = this.rows.where('context_id', contextId).whereRaw(`not ${this.#isExpired}`)
    const sums = await Promise.all([
      documents.select<Row[]>(knex.raw(`sum(${QUOTA_BYTES}) as bytes`)),
      uploads.select<Row[]>(knex.raw('sum(size_bytes) as bytes')),
    ])
    const used = sums.reduce((total, [sum]) => total + Number(sum?.['bytes'] ?? 0), 0)
    return used + (await this.#growthOfReplacements(contextId))
  }

  /** The bytes that the replacements of a context have more than the versions that they replace. */
  async #growthOfReplacements(contextId: number): Promise<number> {
    const { knex, name } = this.session
    const replacements = knex<Row>(name('documents')).where('context_id', contextId).whereRaw(IS_REPLACEMENT)
    const rows = await knex
      .from(replacements.select('public_id', knex.raw(`${QUOTA_BYTES} as bytes`)).as('replacement'))
      .join({ version: name('documents') }, 'version.public_id', 'replacement.public_id')
      .whereNull('version.deleted')
      .whereNull('version.replaces')
      .whereRaw('replacement.bytes > version.size_bytes + version.excess_bytes')
      .select<Row[]>(knex.raw('sum(replacement.bytes - version.size_bytes - version.excess_bytes) as bytes'))
    return Number(rows[0]?.['bytes'] ?? 0)
  }

  async claimed(uuids: readonly string[]): Promise<ReadonlySet<string>> {
    const { knex, name } = this.session
    const claimed = new Set<string>()
    for (const part of inParts(uuids)) {
      // Uploads are read before documents. So an upload that becomes a document in between is found by the second
      // statement.
      const uploads = await this.rows.whereIn('uuid', part).whereRaw(`expires_ms > ${this.#now}`).select('uuid')
      const documents = await knex<Row>(name('documents')).whereIn('uuid', part).select('uuid')
      for (const row of [...uploads, ...documents]) claimed.add(text(row, 'uuid'))
    }
    return claimed
  }

  async countExpired(): Promise<number> {
    const [counted] = await this.rows.whereRaw(this.#isExpired).count({ expired: '*' })
    return Number((counted as Row | undefined)?.['expired'] ?? 0)
  }

  async removeExpired(options: { readonly all: boolean }): Promise<void> {
    const query = this.rows
    if (!options.all) void query.whereRaw(this.#isExpired)
    await query.delete()
  }

  /** An end that is too far ahead is from before the clock was set back. */
  get #isExpired(): string {
    return `(expires_ms <= ${this.#now} or expires_ms > ${this.#now} + ${UPLOAD_TTL_BOUND_MS})`
  }

  #unexpired(uuid: string) {
    return this.rows.where('uuid', uuid).whereRaw(`expires_ms > ${this.#now}`)
  }

  get #now(): string {
    return this.session.dialect.nowMs
  }
}
