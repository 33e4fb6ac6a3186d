import type { z } from 'zod'
import { recordChange } from '../audit/index.js'
import type { Clock, Storage } from '../ports/index.js'
import { InvalidInputError } from '../shared/errors.js'
import { choiceSchema, objectSchema, parseId, textSchema, validate } from '../shared/validate.js'
import { type Authorizer, type Principal, parsePrincipal } from '../tenancy-authorization/index.js'
import { ASSISTANT, findWritable } from './context-access.js'

/** What `contexts.share` takes (specification, Share context). */
export interface ShareInput {
  /** 0 private, 1 shared with the account's other users. */
  readonly shareState: 0 | 1
  /** One emoji. */
  readonly icon?: string | undefined
}

/** The body of `PUT /context/share/{contextId}`. */
export const shareSchema: z.ZodType<ShareInput> = objectSchema({
  shareState: choiceSchema([0, 1]),
  icon: textSchema({ min: 1, max: 64 }).optional(),
})

/** Shares a context with the other users of its account, or makes it private again. */
export class ShareContext {
  readonly #storage: Storage
  readonly #clock: Clock
  readonly #authorizer: Authorizer

  constructor(storage: Storage, clock: Clock, authorizer: Authorizer) {
    this.#storage = storage
    this.#clock = clock
    this.#authorizer = authorizer
  }

  /**
   * @throws InvalidInputError naming the field
   * @throws NotFoundError `ERR_CONTEXT_NOT_FOUND`
   * @throws ForbiddenError where another user shares it
   */
  async execute(principal: Principal, contextId: number, input: ShareInput): Promise<void> {
    const access = await this.#authorizer.authorize(parsePrincipal(principal), ASSISTANT, 'context:write')
    const id = parseId(contextId, 'contextId')
    const { shareState, icon } = validate(shareSchema, input)
    if (icon !== undefined && !isOneGrapheme(icon)) throw new InvalidInputError('icon', 'must be a single character')
    await this.#storage.transaction(async (repositories) => {
      await findWritable(repositories, access, id)
      await recordChange(repositories, access.by, this.#clock.now(), {
        action: 'context.shared',
        companyId: access.companyId,
        targetId: id,
        details: { accountId: access.principal.accountId, shareState },
      })
      await repositories.contexts.update(id, { shareState, ...(icon !== undefined && { icon }) })
    })
  }
}

function isOneGrapheme(text: string): boolean {
  const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' }).segment(text)
  return [...graphemes].length === 1
}
