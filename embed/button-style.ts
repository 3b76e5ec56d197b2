import { spin, tokens } from './style.ts'

/** A merchant can change more of the button through `::part(button)`. */
export const buttonSheet = `${tokens}
:host{display:inline-block}
button{width:100%;display:flex;align-items:center;justify-content:center;gap:8px;white-space:nowrap;font-variant-numeric:tabular-nums}
button:hover{background:color-mix(in oklab,var(--fill),var(--on) 12%)}
:host([size=small]) button{min-height:44px;padding:0 14px;font-size:.9375rem;border-radius:10px}
:host([size=large]) button{min-height:56px;padding:0 28px;font-size:1.0625rem;border-radius:14px}
:host([look=line]) button{background:none;border-color:var(--edge);color:var(--ink)}
[aria-busy=true] path{display:none}
${spin('[aria-busy=true] svg')}`
