import type { UploadRecord, UploadRepository } from '../../../src/ports/index.js'
import { type Row, text } from '../rows.js'
import { inParts, KnexRepository, type Session } from './base.js'

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
    const documents = knex<Row>(name('documents')).where('context_id', contextId).whereNull('deleted')
    const uploads = this.rows.where('context_id', contextId).whereRaw(`expires_ms > ${this.#now}`)
    const sums = await Promise.all([documents.sum({ bytes: 'size_bytes' }), uploads.sum({ bytes: 'size_bytes' })])
    return sums.reduce((total, [sum]) => total + Number((sum as Row | undefined)?.['bytes'] ?? 0), 0)
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
    const [counted] = await this.rows.whereRaw(`expires_ms <= ${this.#now}`).count({ expired: '*' })
    return Number((counted as Row | undefined)?.['expired'] ?? 0)
  }

  async removeExpired(options: { readonly all: boolean }): Promise<void> {
    const query = this.rows
    if (!options.all) void query.whereRaw(`expires_ms <= ${this.#now}`)
    await query.delete()
  }

  #unexpired(uuid: string) {
    return this.rows.where('uuid', uuid).whereRaw(`expires_ms > ${this.#now}`)
  }

  get #now(): string {
    return this.session.dialect.nowMs
  }
}
