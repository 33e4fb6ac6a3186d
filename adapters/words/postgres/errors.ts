import { translateDatabaseError } from '../../node-kit/index.js'

/** Runs work on a collection, and translates errors of the database into errors of the core. */
export async function withDatabaseErrors<T>(collection: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const damage = `the word index of ${collection} is damaged`
    throw translateDatabaseError(error, { data: 'the word index', damage })
  }
}
