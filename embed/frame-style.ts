import type { Context } from './context.ts'

/** The frame stays hidden until its page answers, so that a browser's error page never looks like the checkout. */
const waiting = ({ spin }: Context, at: string) => `iframe{display:block;width:100%;border:0;visibility:hidden}
.again{position:absolute;inset:0;margin:auto;width:max-content;height:max-content;z-index:1}
${at}::after{content:"";position:absolute;inset:0;margin:auto;width:20px;height:20px;color:var(--soft)}
${spin(`${at}::after`)}`

export const inlineSheet = (context: Context) => `${context.tokens}
:host{display:block}
div{position:relative}
${waiting(context, 'div:not(.ready)')}
iframe{height:320px}.ready iframe{visibility:visible}
button{width:100%}`

/** What a host's style sheet says of everything on its page, or makes our element inherit, must not hide the modal or take its clicks. */
const untouched = ':host{display:block!important;visibility:visible!important;pointer-events:auto!important}'

/** The modal is a dialog, or a sheet on a narrow screen. `--top` and `--height` (modal.ts) keep a phone's keyboard from covering it. */
export const modalSheet = (context: Context) => `${context.tokens}${untouched}
dialog{position:fixed;inset:calc(var(--top,0px) + 24px) 0 auto;width:100%;max-width:none;height:calc(var(--height,100dvh) - 24px);max-height:none;margin:0;padding:0 0 env(safe-area-inset-bottom);border:1px solid transparent;border-radius:20px 20px 0 0;background:var(--paper);color:var(--ink);overflow:hidden;overscroll-behavior:contain}
dialog[open]{display:flex;flex-direction:column}
dialog::backdrop{background:rgb(10 14 16/.6)}
div{display:flex;align-items:center;gap:8px;padding:4px 8px 0 16px;font-weight:400;font-size:.8125rem;color:var(--soft)}
button{margin-inline-start:auto;width:44px;min-height:44px;display:grid;place-items:center;padding:0;border:0;background:none;color:var(--ink)}
:focus-visible{outline-color:var(--ink);outline-offset:-3px}
${waiting(context, 'dialog:not(.ready)')}
iframe{flex:1;min-height:0}.ready iframe{visibility:visible}
@media(min-width:600px){dialog{inset:0;margin:auto;width:440px;height:fit-content;max-height:calc(var(--height,100dvh) - 48px);border-radius:20px;padding:0}iframe{flex:0 1 var(--fit,556px)}}`

/** Keeps the merchant's page from scrolling. The padding replaces its scrollbar, so that the page does not shift sideways. */
export const lockSheet = (scrollbar: number) => `html{overflow:hidden;padding-inline-end:${scrollbar}px}`
