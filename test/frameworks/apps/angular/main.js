import '@angular/compiler'
import { Component, CUSTOM_ELEMENTS_SCHEMA, provideZonelessChangeDetection, signal } from '@angular/core'
import { bootstrapApplication } from '@angular/platform-browser'
import { receive, load, newOrder } from '../shop.js'

const template = `
  <button (click)="again()">Render again</button>
  <button (click)="open.set(false)">Leave</button>
  <p>Rendered {{ renders() }}</p>
  @if (open()) {
    <till-button [order]="order()" size="large" class="wide" (ready)="onButton($event)">Pay now</till-button>
    <till-checkout [order]="order()" theme="light" (ready)="onCheckout($event)"></till-checkout>
  }
`

class Shop {
  renders = signal(1)
  open = signal(true)
  order = signal(newOrder())
  onButton = receive('button')
  onCheckout = receive('checkout')
  again() {
    this.renders.update((renders) => renders + 1)
    this.order.set(newOrder())
  }
}
// Compiled in the browser, so without Angular's own compiler before.
Component({ selector: '#app', schemas: [CUSTOM_ELEMENTS_SCHEMA], template })(Shop)

bootstrapApplication(Shop, { providers: [provideZonelessChangeDetection()] })
void load()
