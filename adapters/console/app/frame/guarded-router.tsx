import {
  createContext,
  type ReactElement,
  type ReactNode,
  use,
  useCallback,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { Router } from 'wouter'
import { phrases, useTexts } from '../texts/phrases.js'
import { ConfirmDialog } from '../ui/dialogs.js'

/** The things that a page can lose: changes that are not saved, or a secret that is shown once. */
type Losable = 'changes' | 'secret'

const TEXTS = phrases({
  en: {
    changes: {
      title: 'Leave without saving?',
      text: 'You have changed something here and not saved it. If you leave, the changes are lost.',
      leave: 'Leave and lose the changes',
    },
    secret: {
      title: 'Did you copy the secret?',
      text: 'The secret is not shown again. If you have not copied it, stay and copy it.',
      leave: 'I have it: leave',
    },
  },
  de: {
    changes: {
      title: 'Ohne Speichern verlassen?',
      text: 'Du hast hier etwas geändert und nicht gespeichert. Wenn du die Seite verlässt, gehen die Änderungen verloren.',
      leave: 'Verlassen und Änderungen verwerfen',
    },
    secret: {
      title: 'Hast du das Secret kopiert?',
      text: 'Das Secret wird nicht noch einmal angezeigt. Wenn du es nicht kopiert hast, bleib hier und kopiere es.',
      leave: 'Ich habe es: verlassen',
    },
  },
})

interface Guard {
  readonly leave: (go: () => void) => void
  /** Called when the user gives up the changes. */
  readonly hold: (onGiveUp: () => void, losable: Losable) => () => void
}

const GuardContext = createContext<Guard>({ leave: (go) => go(), hold: () => () => undefined })

/** The router of the page. It asks before the user leaves a form with unsaved changes. */
export function GuardedRouter({
  base,
  children,
}: {
  readonly base: string
  readonly children: ReactNode
}): ReactElement {
  const texts = useTexts(TEXTS)
  const [next, setNext] = useState<{ readonly go: () => void }>()
  const holders = useRef(new Map<() => void, Losable>())
  const formAddress = useRef('')
  const hold = useCallback((onGiveUp: () => void, losable: Losable) => {
    formAddress.current = location.href
    holders.current.set(onGiveUp, losable)
    return () => {
      holders.current.delete(onGiveUp)
    }
  }, [])
  const leave = useCallback((go: () => void) => {
    if (holders.current.size === 0) go()
    else setNext({ go })
  }, [])
  // Before the effects of all parts below: the router's own listeners must come after these.
  useLayoutEffect(() => {
    const onUnload = (event: BeforeUnloadEvent): void => {
      if (holders.current.size > 0) event.preventDefault()
    }
    const onPop = (event: PopStateEvent): void => {
      const isSamePage = new URL(formAddress.current || location.href).pathname === location.pathname
      if (holders.current.size === 0 || isSamePage) return
      // The browser has left already. The form gets its address back before the router looks.
      event.stopImmediatePropagation()
      history.pushState(null, '', formAddress.current)
      setNext({ go: () => history.back() })
    }
    window.addEventListener('beforeunload', onUnload)
    window.addEventListener('popstate', onPop, { capture: true })
    return () => {
      window.removeEventListener('beforeunload', onUnload)
      window.removeEventListener('popstate', onPop, { capture: true })
    }
  }, [])
  const asked = texts[[...holders.current.values()].includes('secret') ? 'secret' : 'changes']
  return (
    <GuardContext value={{ leave, hold }}>
      <Router base={base} aroundNav={(navigate, to, options) => leave(() => navigate(to, options))}>
        {children}
      </Router>
      <ConfirmDialog
        title={asked.title}
        action={asked.leave}
        isDanger
        isOpen={next !== undefined}
        onClose={() => setNext(undefined)}
        onConfirm={async () => {
          for (const giveUp of holders.current.keys()) giveUp()
          holders.current.clear()
          next?.go()
        }}
      >
        <p>{asked.text}</p>
      </ConfirmDialog>
    </GuardContext>
  )
}

/** A function that does something which leaves the present page: at once, or after the user gives up unsaved changes. */
export function useLeave(): Guard['leave'] {
  return use(GuardContext).leave
}

/**
 * Marks the page as one with unsaved changes, as long as `isUnsaved` is true.
 *
 * @param onGiveUp called when the user leaves without saving
 * @param losable `secret` for a secret that is shown once. Default: `changes`
 * @returns a function that ends the mark at once: call it after saving, before the page navigates
 */
export function useUnsaved(
  isUnsaved: boolean,
  onGiveUp: () => void = () => undefined,
  losable: Losable = 'changes',
): () => void {
  const { hold } = use(GuardContext)
  const release = useRef<() => void>(() => undefined)
  const giveUp = useRef(onGiveUp)
  giveUp.current = onGiveUp
  useEffect(() => {
    if (!isUnsaved) return undefined
    release.current = hold(() => giveUp.current(), losable)
    return () => release.current()
  }, [isUnsaved, hold, losable])
  return useCallback(() => release.current(), [])
}
