// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Forwarder} from "./Forwarder.sol";

struct Leg {
    address to;
    uint256 amount;
}

struct Swap {
    address tokenIn;
    uint256 amountIn;
    address tokenOut;
    uint256 minOut;
    address router;
    bytes data;
}

interface IBalance {
    function balanceOf(address account) external view returns (uint256);
}

/// The factory creates and empties deposit addresses. It holds no money and no balances, so a re-entrant call finds
/// nothing to corrupt, and only an operator can re-enter `settle` at all. It has no immutables, so its code is the same
/// for every owner and can be compared. The zero address means the chain's own coin.
contract TillFactory {
    /// The gas of a leg (one payment) is capped, so that a hostile recipient cannot burn more. An ordinary transfer needs far less.
    uint256 private constant LEG_GAS = 200_000;
    /// Each leg needs this much gas left, so that LEG_GAS survives two nested calls (63/64 each), a value transfer and an event.
    uint256 private constant LEG_RESERVE = 270_000;

    address public owner;
    address public pendingOwner;
    mapping(address => bool) public isOperator;
    mapping(address => bool) public isRouter;

    event LegPaid(bytes32 indexed salt, uint256 index, address token, address to, uint256 amount);
    event LegFailed(bytes32 indexed salt, uint256 index, address token, address to, uint256 amount);
    event Swapped(bytes32 indexed salt, uint256 amountIn, uint256 amountOut);
    event OperatorSet(address indexed operator, bool allowed);
    event RouterSet(address indexed router, bool allowed);
    event OwnershipOffered(address indexed owner, address indexed pendingOwner);
    event OwnershipTaken(address indexed owner);

    error NotOwner();
    error NotPendingOwner();
    error NotOperator();
    error NotRouter();
    error NotEnoughGas();
    error DeployFailed();
    error ApproveFailed();
    error SwapFailed(bytes32 reason);
    error TooLittleOut(uint256 amountOut, uint256 minOut);

    constructor(address owner_) {
        owner = owner_;
        emit OwnershipTaken(owner_);
    }

    modifier onlyOwner() {
        if (msg.sender != owner) revert NotOwner();
        _;
    }

    modifier onlyOperator() {
        if (!isOperator[msg.sender]) revert NotOperator();
        _;
    }

    function offerOwnership(address next) external onlyOwner {
        pendingOwner = next;
        emit OwnershipOffered(owner, next);
    }

    function takeOwnership() external {
        if (msg.sender != pendingOwner) revert NotPendingOwner();
        owner = msg.sender;
        pendingOwner = address(0);
        emit OwnershipTaken(msg.sender);
    }

    function setOperator(address operator, bool allowed) external onlyOwner {
        isOperator[operator] = allowed;
        emit OperatorSet(operator, allowed);
    }

    function setRouter(address router, bool allowed) external onlyOwner {
        isRouter[router] = allowed;
        emit RouterSet(router, allowed);
    }

    function addressOf(bytes32 salt) public view returns (address) {
        bytes32 code = keccak256(type(Forwarder).creationCode);
        return address(uint160(uint256(keccak256(abi.encodePacked(bytes1(0xff), address(this), salt, code)))));
    }

    /// Legs fail independently. A leg that fails leaves its money at the deposit address and emits LegFailed.
    function settle(bytes32 salt, address token, Leg[] calldata legs) external onlyOperator {
        _pay(salt, _forwarder(salt), token, legs);
    }

    /// The conversion comes first. Its output is measured by the deposit address's balance, and too little reverts the call.
    function settleSwap(bytes32 salt, Swap calldata swap, Leg[] calldata legs) external onlyOperator {
        Forwarder forwarder = _forwarder(salt);
        uint256 out = _swap(forwarder, swap);
        emit Swapped(salt, swap.amountIn, out);
        _pay(salt, forwarder, swap.tokenOut, legs);
    }

    function _forwarder(bytes32 salt) private returns (Forwarder) {
        address payable expected = payable(addressOf(salt));
        if (expected.code.length == 0 && address(new Forwarder{salt: salt}()) != expected) revert DeployFailed();
        return Forwarder(expected);
    }

    /// The gas is checked before the first leg, so that an estimate covers the worst that recipients can do, and no leg
    /// can fail only because an earlier one burned the gas.
    function _pay(bytes32 salt, Forwarder forwarder, address token, Leg[] calldata legs) private {
        if (gasleft() < legs.length * LEG_RESERVE) revert NotEnoughGas();
        for (uint256 i = 0; i < legs.length; ++i) {
            address to = legs[i].to;
            uint256 amount = legs[i].amount;
            if (_transfer(forwarder, token, to, amount)) emit LegPaid(salt, i, token, to, amount);
            else emit LegFailed(salt, i, token, to, amount);
        }
    }

    function _transfer(Forwarder forwarder, address token, address to, uint256 amount) private returns (bool ok) {
        if (token == address(0)) (ok,,) = _run(forwarder, to, amount, LEG_GAS, "");
        else ok = _tokenCall(forwarder, token, LEG_GAS, abi.encodeWithSignature("transfer(address,uint256)", to, amount));
    }

    /// Some tokens return nothing and others return true. A call to an address without code would also succeed.
    function _tokenCall(Forwarder forwarder, address token, uint256 gasCap, bytes memory data) private returns (bool) {
        if (token.code.length == 0) return false;
        (bool ok, uint256 size, bytes32 word) = _run(forwarder, token, 0, gasCap, data);
        return ok && (size == 0 || (size > 31 && uint256(word) == 1));
    }

    function _run(Forwarder forwarder, address target, uint256 value, uint256 gasCap, bytes memory data)
        private
        returns (bool ok, uint256 size, bytes32 word)
    {
        (bool ran, bytes memory answer) = address(forwarder).call(abi.encodePacked(target, value, gasCap, data));
        if (!ran) revert NotEnoughGas();
        return abi.decode(answer, (bool, uint256, bytes32));
    }

    function _swap(Forwarder forwarder, Swap calldata swap) private returns (uint256 out) {
        if (!isRouter[swap.router] || swap.router.code.length == 0) revert NotRouter();
        uint256 before = _balance(swap.tokenOut, address(forwarder));
        bool native = swap.tokenIn == address(0);
        if (!native) _approve(forwarder, swap.tokenIn, swap.router, swap.amountIn);
        (bool ok,, bytes32 word) = _run(forwarder, swap.router, native ? swap.amountIn : 0, gasleft(), swap.data);
        if (!ok) revert SwapFailed(word);
        if (!native) _approve(forwarder, swap.tokenIn, swap.router, 0);
        uint256 held = _balance(swap.tokenOut, address(forwarder));
        out = held > before ? held - before : 0;
        if (out < swap.minOut) revert TooLittleOut(out, swap.minOut);
    }

    function _approve(Forwarder forwarder, address token, address spender, uint256 amount) private {
        bytes memory data = abi.encodeWithSignature("approve(address,uint256)", spender, amount);
        if (!_tokenCall(forwarder, token, gasleft(), data)) revert ApproveFailed();
    }

    function _balance(address token, address account) private view returns (uint256) {
        return token == address(0) ? account.balance : IBalance(token).balanceOf(account);
    }
}
