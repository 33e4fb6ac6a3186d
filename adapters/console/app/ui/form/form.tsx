import {
  createContext,
  type ReactElement,
  type ReactNode,
  type SyntheticEvent,
  useEffect,
  useRef,
  useState,
} from 'react'
import { FormContext } from 'react-aria-components'
import { flushSync } from 'react-dom'

/** True in a form that the user has tried to send: its fields then say what they lack. Undefined outside of forms. */
export const IsTried = createContext<boolean | undefined>(undefined)

/** An attribute of a field that has found a problem by itself. */
export const INCOMPLETE = { 'data-incomplete': true } as const

/** Fields with an error hold nothing back by themselves. */
const ARIA = { validationBehavior: 'aria' } as const

const BAD_CONTROLS = '[data-invalid] :is(input, textarea, button):not(:disabled, [aria-hidden] *)'

interface FormProps {
  /** Called if no field has found a problem by itself. */
  readonly onSubmit: () => void
  /** Called at each try, before: a page that has rules of its own shows what breaks them from then on. */
  readonly onTry?: () => void
  readonly className?: string
  readonly children: ReactNode
}

/**
 * A form whose errors are sentences at its fields, in the language of the page, and never messages of the browser. The
 * first field with an error gets the focus, also if the server finds it: until the user goes on.
 */
export function Form({ onSubmit, onTry, className, children }: FormProps): ReactElement {
  const form = useRef<HTMLFormElement>(null)
  const isWaiting = useRef(false)
  const focused = useRef<Element>(undefined)
  const [isTried, setTried] = useState(false)
  const focusBad = (): void => {
    const bad = firstBad(form.current)
    if (bad !== focused.current) bad?.focus()
    focused.current = bad
  }
  const submit = (event: SyntheticEvent): void => {
    // React passes on the events of a dialog that a part of this form opens.
    if (event.target !== form.current) return
    event.preventDefault()
    flushSync(() => {
      setTried(true)
      onTry?.()
    })
    isWaiting.current = true
    focused.current = undefined
    if (form.current.querySelector('[data-incomplete]') === null) onSubmit()
    focusBad()
  }
  const goOn = ({ target }: SyntheticEvent): void => {
    if (target instanceof Node && form.current?.contains(target) === true) isWaiting.current = false
  }
  // Errors of the server come with a later render.
  useEffect(() => {
    if (isWaiting.current) focusBad()
  })
  return (
    <form
      ref={form}
      noValidate
      onSubmit={submit}
      onKeyDownCapture={goOn}
      onPointerDownCapture={goOn}
      className={className}
    >
      <FormContext value={ARIA}>
        <IsTried value={isTried}>{children}</IsTried>
      </FormContext>
    </form>
  )
}

/** @returns the control of the first field with an error in a part of the page */
export function firstBad(part: Element | null): HTMLElement | undefined {
  return part?.querySelector<HTMLElement>(BAD_CONTROLS) ?? undefined
}
