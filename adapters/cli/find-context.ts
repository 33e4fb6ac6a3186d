import { type Context, InvalidInputError, type Session } from '../../src/index.js'

/** The context that an id or a name on the command line means. */
export async function findContext(session: Session, idOrName: string): Promise<Context> {
  const contexts = await session.contexts.list()
  const byId = /^\d+$/.test(idOrName) ? contexts.find(({ id }) => id === Number(idOrName)) : undefined
  if (byId !== undefined) return byId
  const byName = contexts.filter(({ name }) => name === idOrName)
  const [only, ...others] = byName
  if (only === undefined)
    throw new InvalidInputError(
      'context',
      `there is none with the id or name ${idOrName}; "alcove context list" shows them`,
    )
  if (others.length === 0) return only
  throw new InvalidInputError(
    'context',
    `several have the name ${idOrName}: use the id, one of ${byName.map(({ id }) => id).join(', ')}`,
  )
}
