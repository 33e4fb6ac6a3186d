import { phrases, useTexts } from '../texts/phrases.js'
import { nameOf } from './destinations/destination-state.js'
import { useDestinations } from './queries.js'

const TEXTS = phrases({
  en: { destination: (id: number) => `Destination ${id}` },
  de: { destination: (id) => `Ziel ${id}` },
})

/** A function that names a destination: by its number if it is deleted or belongs to another company. */
export function useDestinationName(): (id: number) => string {
  const { destination } = useTexts(TEXTS)
  const { data = [] } = useDestinations(undefined)
  return (id) => {
    const found = data.find((each) => each.id === id)
    return found === undefined ? destination(id) : nameOf(found)
  }
}
