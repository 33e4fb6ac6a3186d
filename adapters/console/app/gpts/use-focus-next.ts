import { useCallback, useEffect, useState } from 'react'

/** A function that gives the focus to an element once the page has it: after something is added, moved or removed. */
export function useFocusNext(): (id: string) => void {
  const [wanted, setWanted] = useState<{ readonly id: string }>()
  useEffect(() => {
    if (wanted !== undefined) document.getElementById(wanted.id)?.focus()
  }, [wanted])
  return useCallback((id) => setWanted({ id }), [])
}
