import { findReadable, findWritable } from '../context/index.js'
import type { ContextRecord, DocumentRecord, Repositories } from '../ports/index.js'
import { AlcoveError, InvalidInputError, NotFoundError } from '../shared/errors.js'
import { idSchema, objectSchema, textSchema, validate } from '../shared/validate.js'
import type { Access } from '../tenancy-authorization/index.js'
import type { DocumentReference } from './document.js'

const BY_ID = objectSchema({ contextId: idSchema(), id: idSchema() })
const BY_UUID = textSchema({ min: 1, max: 100 })

/**
 * A live document in a context that the principal sees, or may change.
 *
 * @throws NotFoundError `ERR_DOCUMENT_NOT_FOUND`, also where the context is not the principal's to see;
 *   `ERR_CONTEXT_NOT_FOUND` where the reference names a context
 * @throws ForbiddenError where the context is shared by another user
 */
export async function findDocument(
  repositories: Repositories,
  access: Access,
  reference: DocumentReference,
  purpose: 'read' | 'write',
): Promise<{ readonly document: DocumentRecord; readonly context: ContextRecord }> {
  const find = purpose === 'read' ? findReadable : findWritable
  if (typeof reference === 'object') {
    const { contextId, id } = validate(BY_ID, reference, 'document')
    const context = await find(repositories, access, contextId)
    const document = await repositories.documents.get(id)
    if (document?.contextId !== contextId) throw new NotFoundError('document', id)
    return { document, context }
  }
  if (typeof reference === 'number') {
    throw new InvalidInputError(
      'document',
      'must be a UUID or { contextId, id }: an id, such as the docId of a hit, names a document within its context only',
    )
  }
  const uuid = validate(BY_UUID, reference, 'document')
  const document = await repositories.documents.getByUuid(uuid)
  if (document === undefined) throw new NotFoundError('document', uuid)
  try {
    return { document, context: await find(repositories, access, document.contextId) }
  } catch (error) {
    const isHidden = error instanceof AlcoveError && error.code === 'ERR_CONTEXT_NOT_FOUND'
    throw isHidden ? new NotFoundError('document', uuid) : error
  }
}
