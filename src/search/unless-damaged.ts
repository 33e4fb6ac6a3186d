import { VectorsDamagedError } from '../kernel/errors.js'

/** @returns what is read; `otherwise` if the index that is read is damaged */
export async function unlessDamaged<T, Otherwise>(read: Promise<T>, otherwise: Otherwise): Promise<T | Otherwise> {
  try {
    return await read
  } catch (error) {
    if (error instanceof VectorsDamagedError) return otherwise
    throw error
  }
}
