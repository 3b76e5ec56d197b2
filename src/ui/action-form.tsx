import type { ComponentChildren } from 'preact'

interface ActionFormProps {
  /** Without scripts the browser posts the form to this URL. */
  readonly action: string
  readonly fields: Readonly<Record<string, string>>
  /** With scripts this is called instead, with the trimmed text of the field `typed`, or '' if there is none. */
  readonly onAct: (typed: string) => void
  readonly class?: string
  readonly children: ComponentChildren
}

/** Unlike a button with a handler, a form also works before hydration and without scripts. */
export const ActionForm = ({ action, fields, onAct, class: name, children }: ActionFormProps) => (
  <form
    method="post"
    action={action}
    class={name}
    onSubmit={(event) => {
      event.preventDefault()
      const typed = new FormData(event.currentTarget).get('typed')
      onAct(typeof typed === 'string' ? typed.trim() : '')
    }}
  >
    {Object.entries(fields).map(([key, value]) => (
      <input type="hidden" name={key} value={value} />
    ))}
    {children}
  </form>
)
