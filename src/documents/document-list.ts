import type { z } from 'zod'
import { InvalidInputError } from '../kernel/errors.js'
import { type ListPage, type ListQuery, listQuerySchemaWith } from '../kernel/lists.js'
import { choiceSchema, listSchema, textSchema, validate } from '../kernel/validate.js'
import {
  DOCUMENT_ORDERS,
  DOCUMENT_STATUSES,
  type DocumentFilter,
  type DocumentOrder,
  type DocumentPosition,
  type DocumentSelection,
  type DocumentStatus,
  foldName,
} from '../ports/index.js'
import type { Document } from './document.js'
import { parseFilter } from './document-filter.js'

/** The order and the filters of a list of documents. */
export interface DocumentListOptions {
  /** Only documents that meet these conditions. Default: all documents. */
  readonly filter?: DocumentFilter | undefined
  /**
   * `oldest`: by id. `newest`: by id, the highest first. `name`: by `displayName` without regard to upper and lower case,
   * in the order of code points; equal names by id. Default `oldest`.
   */
  readonly order?: DocumentOrder | undefined
  /** Only documents in one of these states. A document with a replacement also has that one's. Default: all states. */
  readonly status?: readonly DocumentStatus[] | undefined
  /**
   * Only documents whose `displayName` or `originalName` contains this text, without regard to upper and lower case.
   * Every character stands for itself. Default: all names.
   */
  readonly name?: string | undefined
}

/** A part of a list of documents. */
export interface DocumentListQuery extends Omit<ListQuery, 'after'>, DocumentListOptions {
  /** Only documents behind the one with this id. For the next page: the id of the last document. Default 0: from the first. */
  readonly after?: number | undefined
  /** With `order` `name` and `after`: the `displayName` of the last document, which may be deleted meanwhile. */
  readonly afterName?: string | undefined
}

/** A page of a list of documents. */
export interface DocumentListPage extends ListPage<Document> {
  /** `afterName` of the next page. Null on the last page, and in an order that does not need it. */
  readonly nextAfterName: string | null
}

/** The most characters of a name, or of a part of one. */
const MAX_NAME = 10_000

/** The members of a query that REST takes as they are. */
export const DOCUMENT_LIST_SHAPE: {
  readonly order: z.ZodOptional<z.ZodType<DocumentOrder>>
  readonly name: z.ZodOptional<z.ZodType<string>>
  readonly afterName: z.ZodOptional<z.ZodType<string>>
} = {
  order: choiceSchema(DOCUMENT_ORDERS).optional().meta({
    description:
      'By id, upwards (`oldest`, the default) or downwards, or by `displayName` without regard to upper and lower case',
  }),
  name: textSchema({ max: MAX_NAME }).optional().meta({
    description:
      'Only documents whose `displayName` or `originalName` contains this text, without regard to upper and lower case',
  }),
  afterName: textSchema({ max: MAX_NAME }).optional().meta({
    description: 'With `after` in the order by name: the `displayName` of the last document',
  }),
}

const querySchema = listQuerySchemaWith({
  ...DOCUMENT_LIST_SHAPE,
  status: listSchema(choiceSchema(DOCUMENT_STATUSES), DOCUMENT_STATUSES.length).optional(),
})

/** A query in the form that storages evaluate. */
export interface ParsedListQuery {
  readonly order: DocumentOrder
  readonly selection: DocumentSelection
  readonly limit: number | undefined
  readonly after: DocumentPosition | undefined
}

/** @throws InvalidInputError that names the member */
export function parseListQuery(input: DocumentListQuery | undefined): ParsedListQuery {
  const { filter, ...query } = input ?? {}
  const { order = 'oldest', status, name = '', after = 0, afterName, limit } = validate(querySchema, query)
  if (order === 'name' && after !== 0 && afterName === undefined) {
    throw new InvalidInputError(
      'afterName',
      'must be the displayName of the last document, because of the order by name',
    )
  }
  const checkedFilter = parseFilter(filter)
  return {
    order,
    selection: {
      ...(checkedFilter !== undefined && { filter: checkedFilter }),
      ...(status !== undefined && { statuses: status }),
      ...(name !== '' && { foldedPart: foldName(name) }),
    },
    limit,
    after: after === 0 ? undefined : positionOf(after, afterName ?? ''),
  }
}

/** @param displayName as {@link Document} has it */
export function positionOf(id: number, displayName: string): DocumentPosition {
  return { publicId: id, foldedName: foldName(displayName) }
}
