import { type Context, InvalidInputError, type Session } from '../../src/index.js'

/** @throws InvalidInputError if no context, or more than one, has the id or name */
export async function findContext(session: Session, idOrName: string): Promise<Context> {
  const contexts = await session.contexts.list()
  const byId = /^\d+$/.test(idOrName) ? contexts.find(({ id }) => id === Number(idOrName)) : undefined
  if (byId !== undefined) return byId
  const byName = contexts.filter(({ name }) => name === idOrName)
  const [only, ...others] = byName
  if (only === undefined)
    throw new InvalidInputError('context', `no context has the id or name ${idOrName}; "alcove context list" lists all`)
  if (others.length === 0) return only
  throw new InvalidInputError(
    'context',
    `several contexts have the name ${idOrName}: use an id, one of ${byName.map(({ id }) => id).join(', ')}`,
  )
}
