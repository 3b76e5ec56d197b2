import { type Html, markup } from './markup.ts'

/** What holds for every call, told once. */
export const basics = (base: string, origin: string): Html =>
  markup`<section id="basics"><h2>Basics</h2>
  <p>Every path stands behind <code>${base}</code>. Bodies and answers are JSON. Amounts are decimal strings, never floats; in
  smallest units they are whole numbers as strings (<code>raw</code>). Members may be added to answers at any time: ignore what you
  do not know.</p>
  <h3 id="keys">Keys and signatures</h3>
  <table>
  <thead>
  <tr><th scope="col">Kind</th><th scope="col">What it takes</th></tr></thead>
  <tbody>
  <tr><td><span class="auth">Key</span></td>
    <td>The publishable key in <code>X-API-KEY</code>. May be in a browser.</td></tr>
  <tr><td><span class="auth">Signed</span></td>
    <td>The key in <code>Authorization</code>, and <code>Authorization-Signature: APIKey=…,signature=…,timestamp=…</code>: the hex
  HMAC-SHA256, with your secret, of method, path (without <code>/v3</code> and query) and Unix time, one after the other. 300 seconds
  of difference are forgiven. Servers only.</td></tr>
  <tr><td><span class="auth">Body signed</span></td>
    <td>The same, and the hex SHA-256 of the body at the end of what is signed.</td></tr>
  <tr><td><span class="auth">Key or signed</span></td>
    <td>The key opens it; a <code>SALE</code> has to be signed.</td></tr>
  <tr><td><span class="auth">Public</span></td>
    <td>Nothing.</td></tr>
  </tbody>
  </table>
  <h3 id="idempotency">The same request twice</h3>
  <p>Where <code>Idempotency-Key</code> is taken, the same key with the same body is answered as the first time, for a day; with
  another body it is 409. Give one of your own (the cart, the refund), and a request that you had to repeat makes one order.</p>
  <h3 id="limits">Limits</h3>
  <p>Calls are counted per key, and with the publishable key also per address. 429 says in <code>Retry-After</code> how many seconds
  to wait. A body has at most 64 KiB.</p>
  <h3 id="errors">Errors</h3>
  <p>Each is an <a href="#type-ErrorResponse">ErrorResponse</a>: a sentence that you can act on in <code>message</code>, and for a
  wrong body the members that were wrong in <code>details.issues</code>. 401 never says which part was wrong. 500 carries a trace id
  that the operator finds in the log. Nothing has happened when you get 4xx; after 5xx or silence, ask again with the same
  <code>Idempotency-Key</code>.</p>
  <h3 id="live">Live events</h3>
  <p><code>${base.replace(/^http/, 'ws')}/ws</code>: send <code>{"type":"connect","data":{"api_key":"…"}}</code>, then
  <code>{"type":"subscribe","data":{"order_id":"…"}}</code>, and get <code>{"type":"event","data":…}</code> with an
  <a href="#type-EventEnvelope">EventEnvelope</a> for each change. Nothing is replayed: read the order after you have subscribed.</p>
  <h3 id="machines">For machines</h3>
  <p><a href="${base}/openapi.json">openapi.json</a> (OpenAPI 3.1) is what this page is made of. The embed script is at
  <code>${origin}/till.js</code>.</p>
  </section>`
