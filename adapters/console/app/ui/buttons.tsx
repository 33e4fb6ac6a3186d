import type { ReactElement, ReactNode } from 'react'
import { Button as AriaButton, type ButtonProps as AriaButtonProps } from 'react-aria-components'
import { Link } from 'wouter'

interface ButtonProps extends Omit<AriaButtonProps, 'className' | 'style' | 'children'> {
  /** `primary` for the one main action of a page or dialog; `danger` for what cannot be undone. Default: `normal`. */
  readonly kind?: 'normal' | 'primary' | 'danger' | 'quiet'
  readonly children: ReactNode
}

/** A button. With `isPending`, it says that it works, and cannot be pressed. */
export function Button({ kind = 'normal', ...props }: ButtonProps): ReactElement {
  return <AriaButton {...props} className={`button button-${kind}`} />
}

/** A link that looks like a button: for another page. */
export function ButtonLink({
  href,
  kind = 'normal',
  children,
}: {
  readonly href: string
  readonly kind?: 'normal' | 'primary' | 'quiet'
  readonly children: ReactNode
}): ReactElement {
  return (
    <Link href={href} className={`button button-${kind}`}>
      {children}
    </Link>
  )
}
