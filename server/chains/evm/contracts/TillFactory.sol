// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Forwarder} from "./Forwarder.sol";

/// An order may settle in this token of one chain. The zero address means the chain's own coin, here and everywhere.
struct Settlement {
    uint256 chainId;
    address token;
    address recipient;
    address feeCollector;
    uint16 maxFeeBps;
    uint256 maxFeeFlat;
    bool firstOfChain;
}

/// The terms of an order without its settlements, which enter the hash as a Merkle root.
struct Agreement {
    bytes32 order;
    address defaultRecipient;
    address guard;
    uint64 releaseAt;
}

/// The terms of an order with the one settlement that is used, and its Merkle path.
struct Terms {
    Agreement agreement;
    Settlement settlement;
    bytes32[] path;
}

struct Leg {
    address to;
    uint256 amount;
}

/// What the guard signs. The nonce is consumed when the move is tried, whether or not it succeeds.
struct Approval {
    uint256 nonce;
    uint256 deadline;
    bytes signature;
}

struct Conversion {
    address token;
    uint256 amount;
    uint256 leastOut;
    address router;
    bytes data;
}

/// The factory creates deposit addresses and moves what lies there. The salt of an address is the hash of its order's terms, so the address
/// itself says where its money may go, and nobody can change that: neither the owner nor an operator nor the guard nor we. The factory holds
/// no money, has no immutables (its code is the same for every owner), cannot be upgraded, and has no way to move money that is not below.
contract TillFactory {
    /// The gas of a leg (one payment) is capped, so that a hostile recipient cannot burn more. An ordinary transfer needs far less.
    uint256 private constant LEG_GAS = 200_000;
    /// Each leg needs this much gas left, so that it gets LEG_GAS (64/63 of it, since a call leaves a part behind), the ledger and an event.
    uint256 private constant LEG_RESERVE = 225_000;
    /// One order of a batch gets this much gas: two legs, the creation of its address, and the hash of its terms.
    uint256 private constant ORDER_GAS = 600_000;
    uint256 private constant ORDER_RESERVE = 615_000;
    /// A conversion gets exactly this much gas. Its failure does not revert, so an estimate could not tell that more gas would have helped.
    uint256 private constant CONVERSION_GAS = 2_000_000;
    uint256 private constant CONVERSION_RESERVE = 2_150_000;
    /// A guard that is a contract answers within this much gas.
    uint256 private constant GUARD_GAS = 300_000;
    /// Whoever is paid by default may take what nobody else may, this long after the release time.
    uint256 private constant LAST_RELEASE_AFTER = 180 days;

    uint256 private constant VERSION = 1;
    /// The hash of the Forwarder's init code. Were it wrong, no address could be created.
    bytes32 private constant FORWARDER_CODE = 0xed60c972d30927fb7f56d51fbc463def06e0adbb5fafc2c063f07ec01996a405;
    bytes4 private constant TRANSFER = bytes4(keccak256("transfer(address,uint256)"));
    bytes4 private constant APPROVE = bytes4(keccak256("approve(address,uint256)"));
    bytes32 private constant DOMAIN_TYPE =
        keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)");
    bytes32 private constant SETTLEMENT_TYPE =
        keccak256(
            "Settlement(uint256 chainId,address token,address recipient,address feeCollector,uint16 maxFeeBps,uint256 maxFeeFlat,bool firstOfChain)"
        );
    bytes32 private constant TERMS_TYPE =
        keccak256(
            "Terms(uint256 version,bytes orderId,address factory,bytes32 settlements,address defaultRecipient,address guard,uint64 releaseAt)"
        );
    bytes32 private constant LEG_TYPE = keccak256("Leg(address to,uint256 amount)");
    bytes32 private constant MOVE_TYPE =
        keccak256(
            "Move(bytes32 terms,address tokenIn,uint256 amountIn,address tokenOut,uint256 leastOut,address router,bytes32 data,Leg[] legs,uint256 nonce,uint256 deadline)Leg(address to,uint256 amount)"
        );

    enum Role {
        recipient,
        fees,
        refund
    }

    address public owner;
    address public pendingOwner;
    mapping(address => bool) public isOperator;
    mapping(address => bool) public isRouter;
    mapping(bytes32 terms => mapping(uint256 nonce => bool)) public isNonceUsed;
    /// This much of a settlement's flat fee was paid, by the terms and the token.
    mapping(bytes32 terms => mapping(address token => uint256)) public flatFeePaid;

    event Paid(bytes32 indexed terms, Role role, address token, address to, uint256 amount);
    event NotPaid(bytes32 indexed terms, Role role, address token, address to, uint256 amount);
    event Converted(bytes32 indexed terms, address tokenIn, uint256 amountIn, address tokenOut, uint256 amountOut);
    event NotConverted(bytes32 indexed terms, uint256 nonce, bytes32 reason);
    event OrderFailed(uint256 index, bytes32 reason);
    event OperatorSet(address indexed operator, bool allowed);
    event RouterSet(address indexed router, bool allowed);
    event ReceiptKeySet(address indexed key, bool allowed);
    event OwnershipOffered(address indexed owner, address indexed pendingOwner);
    event OwnershipTaken(address indexed owner);

    error NotOwner();
    error NotPendingOwner();
    error NotOperator();
    error NotSelf();
    error NotSettle();
    error NotRouter();
    error NotThisChain();
    error NotInTerms();
    error NotOtherToken();
    error NotReleaser();
    error NotYet(uint256 releaseAt);
    error NothingToRelease();
    error NotReleased();
    error NoBalance();
    error FeeAboveCap(uint256 fee, uint256 cap);
    error NotApproved();
    error NonceUsed();
    error Expired();
    error NotEnoughGas();
    error DeployFailed();
    error ApproveFailed();
    error SwapFailed(bytes32 reason);
    error TooLittleOut(uint256 amountOut, uint256 leastOut);

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

    function setReceiptKey(address key, bool allowed) external onlyOwner {
        emit ReceiptKeySet(key, allowed);
    }

    function addressOf(bytes32 terms) public view returns (address) {
        return address(uint160(uint256(keccak256(abi.encodePacked(bytes1(0xff), address(this), terms, FORWARDER_CODE)))));
    }

    /// Pays the recipient and, only if that succeeds, the fee: at most the settlement's share of both, plus what is left of its flat fee.
    function settle(Terms calldata terms, uint256 toRecipient, uint256 fee) external onlyOperator {
        (bytes32 hash, address forwarder) = _open(terms);
        _settle(hash, forwarder, terms.settlement, toRecipient, fee);
    }

    /// Settles each order in a call of its own, and one that fails leaves the others. Each item is the calldata of a `settle`. The factory runs it
    /// by calling its own code in the operator's name, so that it may do what the operator may. The gas for all orders is there before the first, so
    /// that none can take it from the next.
    function settleBatch(bytes[] calldata orders) external onlyOperator {
        if (gasleft() < orders.length * ORDER_RESERVE) revert NotEnoughGas();
        for (uint256 i = 0; i < orders.length; ++i) {
            bytes calldata order = orders[i];
            if (bytes4(order) != this.settle.selector) {
                emit OrderFailed(i, NotSettle.selector);
                continue;
            }
            (bool isSettled, bytes memory reason) = address(this).delegatecall{gas: ORDER_GAS}(order);
            if (!isSettled) emit OrderFailed(i, bytes32(reason));
        }
    }

    /// Sends what is at the address of these terms where the guard has signed for.
    function refund(Agreement calldata agreement, bytes32 settlements, address token, Leg[] calldata legs, Approval calldata approval)
        external
        onlyOperator
    {
        bytes32 hash = _hash(agreement, settlements);
        bytes32 move = _move(hash, token, 0, token, 0, address(0), 0, legs, approval);
        _consume(hash, agreement.guard, move, approval);
        address forwarder = _forwarder(hash);
        if (gasleft() < legs.length * LEG_RESERVE) revert NotEnoughGas();
        for (uint256 i = 0; i < legs.length; ++i) _pay(hash, forwarder, LEG_GAS, Role.refund, token, legs[i].to, legs[i].amount);
    }

    /// Converts as the guard has signed for, and settles all that it yields. The first word of the reason is returned if that fails.
    function convert(Terms calldata terms, Conversion calldata swap, uint256 fee, Approval calldata approval)
        external
        onlyOperator
        returns (bytes32 failure)
    {
        (bytes32 hash, address forwarder) = _open(terms);
        _consume(hash, terms.agreement.guard, _conversionMove(hash, terms.settlement, swap, fee, approval), approval);
        if (gasleft() < CONVERSION_RESERVE) revert NotEnoughGas();
        try this.convertAndSettle{gas: CONVERSION_GAS}(hash, forwarder, terms.settlement, swap, fee) {}
        catch (bytes memory reason) {
            failure = bytes32(reason);
            if (failure == 0) failure = bytes32(NotEnoughGas.selector);
            emit NotConverted(hash, approval.nonce, failure);
        }
    }

    /// A conversion is a call of its own, so that its failure undoes it and still consumes the nonce.
    function convertAndSettle(
        bytes32 hash,
        address forwarder,
        Settlement calldata settlement,
        Conversion calldata swap,
        uint256 fee
    ) external {
        if (msg.sender != address(this)) revert NotSelf();
        uint256 out = _swap(forwarder, swap, settlement.token);
        emit Converted(hash, swap.token, swap.amount, settlement.token, out);
        if (fee > out) revert FeeAboveCap(fee, out);
        _settle(hash, forwarder, settlement, out - fee, fee);
    }

    /// After the release time anybody may send a settlement's token to its recipient, all of it and without a fee. It fails as a whole, so no
    /// gas is capped: whatever gas costs one day, whoever provides enough of it can release the money.
    function release(Terms calldata terms) external {
        if (block.timestamp < terms.agreement.releaseAt) revert NotYet(terms.agreement.releaseAt);
        (bytes32 hash, address forwarder) = _open(terms);
        Settlement calldata settlement = terms.settlement;
        _releaseAll(hash, forwarder, settlement.token, settlement.recipient);
    }

    /// After the release time the recipient of the chain's first settlement may take any token that no settlement of this chain names. 180 days
    /// later the default's recipient may, on every chain. Either has to call himself, since others do not know what his address can take.
    function releaseOther(Agreement calldata agreement, Settlement[] calldata settlements, address token) external {
        uint256 releaseAt = agreement.releaseAt;
        bool isLast = msg.sender == agreement.defaultRecipient && block.timestamp >= releaseAt + LAST_RELEASE_AFTER;
        bool isFirst;
        for (uint256 i = 0; i < settlements.length; ++i) {
            Settlement calldata settlement = settlements[i];
            if (settlement.chainId != block.chainid) continue;
            if (settlement.token == token) revert NotOtherToken();
            if (settlement.firstOfChain && settlement.recipient == msg.sender) isFirst = true;
        }
        if (!isFirst && !isLast) revert NotReleaser();
        if (block.timestamp < releaseAt) revert NotYet(releaseAt);
        bytes32 hash = _hash(agreement, _rootOf(settlements));
        _releaseAll(hash, _forwarder(hash), token, msg.sender);
    }

    function _open(Terms calldata terms) private returns (bytes32 hash, address forwarder) {
        if (terms.settlement.chainId != block.chainid) revert NotThisChain();
        bytes32 node = _leaf(terms.settlement);
        bytes32[] calldata path = terms.path;
        for (uint256 i = 0; i < path.length; ++i) node = _parent(node, path[i]);
        hash = _hash(terms.agreement, node);
        forwarder = _forwarder(hash);
    }

    function _hash(Agreement calldata agreement, bytes32 settlements) private view returns (bytes32) {
        return keccak256(
            abi.encode(
                TERMS_TYPE,
                VERSION,
                agreement.order,
                address(this),
                settlements,
                agreement.defaultRecipient,
                agreement.guard,
                agreement.releaseAt
            )
        );
    }

    function _leaf(Settlement calldata settlement) private pure returns (bytes32) {
        return keccak256(abi.encode(SETTLEMENT_TYPE, settlement));
    }

    /// A leaf is the hash of 256 bytes and a parent that of 64, so that neither can be taken for the other.
    function _parent(bytes32 a, bytes32 b) private pure returns (bytes32) {
        return a < b ? keccak256(abi.encode(a, b)) : keccak256(abi.encode(b, a));
    }

    /// Neighbours are joined level by level, and one without a neighbour goes up as it is.
    function _rootOf(Settlement[] calldata settlements) private pure returns (bytes32) {
        uint256 length = settlements.length;
        if (length == 0) revert NotInTerms();
        bytes32[] memory nodes = new bytes32[](length);
        for (uint256 i = 0; i < length; ++i) nodes[i] = _leaf(settlements[i]);
        for (; length > 1; length = (length + 1) / 2) {
            for (uint256 i = 0; i < length; i += 2) nodes[i / 2] = i + 1 < length ? _parent(nodes[i], nodes[i + 1]) : nodes[i];
        }
        return nodes[0];
    }

    function _forwarder(bytes32 hash) private returns (address forwarder) {
        forwarder = addressOf(hash);
        if (forwarder.code.length == 0 && address(new Forwarder{salt: hash}()) != forwarder) revert DeployFailed();
    }

    /// The gas is checked before the first leg, so that an estimate covers the worst that recipients can do, and no leg
    /// can fail only because an earlier one burned the gas.
    function _settle(bytes32 hash, address forwarder, Settlement calldata settlement, uint256 toRecipient, uint256 fee) private {
        if (gasleft() < (fee == 0 ? LEG_RESERVE : 2 * LEG_RESERVE)) revert NotEnoughGas();
        address token = settlement.token;
        bool isPaid = _pay(hash, forwarder, LEG_GAS, Role.recipient, token, settlement.recipient, toRecipient);
        if (fee == 0) return;
        if (!isPaid) {
            emit NotPaid(hash, Role.fees, token, settlement.feeCollector, fee);
            return;
        }
        uint256 share = ((toRecipient + fee) * settlement.maxFeeBps) / 10_000;
        uint256 flat = fee > share ? fee - share : 0;
        if (flat > 0) {
            // The recipient's leg was a call, so the ledger is read after it, and written before the fee's.
            uint256 paidBefore = flatFeePaid[hash][token];
            if (flat > settlement.maxFeeFlat || paidBefore > settlement.maxFeeFlat - flat) {
                revert FeeAboveCap(fee, share + settlement.maxFeeFlat - paidBefore);
            }
            flatFeePaid[hash][token] = paidBefore + flat;
        }
        if (!_pay(hash, forwarder, LEG_GAS, Role.fees, token, settlement.feeCollector, fee) && flat > 0) flatFeePaid[hash][token] -= flat;
    }

    function _releaseAll(bytes32 hash, address forwarder, address token, address to) private {
        uint256 amount = _balance(token, forwarder);
        if (amount == 0) revert NothingToRelease();
        if (!_pay(hash, forwarder, gasleft(), Role.recipient, token, to, amount)) revert NotReleased();
    }

    function _pay(bytes32 hash, address forwarder, uint256 gasCap, Role role, address token, address to, uint256 amount)
        private
        returns (bool isPaid)
    {
        if (token == address(0)) (isPaid,,) = _run(forwarder, gasCap, abi.encode(to, amount));
        else isPaid = _tokenCall(forwarder, gasCap, token, TRANSFER, to, amount);
        if (isPaid) emit Paid(hash, role, token, to, amount);
        else emit NotPaid(hash, role, token, to, amount);
    }

    /// Some tokens return nothing and others return true. A call to an address without code would also succeed.
    function _tokenCall(address forwarder, uint256 gasCap, address token, bytes4 selector, address to, uint256 amount)
        private
        returns (bool)
    {
        bytes memory message = abi.encodePacked(uint256(uint160(token)), uint256(0), selector, uint256(uint160(to)), amount);
        (bool ok, uint256 size, bytes32 word) = _run(forwarder, gasCap, message);
        return ok && (size == 0 ? token.code.length > 0 : size > 31 && uint256(word) == 1);
    }

    /// A message is the target, the value, and the call's data. The forwarder needs little gas itself, so the target gets nearly all of it.
    function _run(address forwarder, uint256 gasCap, bytes memory message) private returns (bool ok, uint256 size, bytes32 word) {
        assembly ("memory-safe") {
            // The answer of three words is put where the message was, which with its length has three words or more.
            let ran := call(gasCap, forwarder, 0, add(message, 32), mload(message), message, 96)
            if and(ran, eq(returndatasize(), 96)) {
                word := mload(message)
                ok := mload(add(message, 32))
                size := mload(add(message, 64))
            }
        }
    }

    function _swap(address forwarder, Conversion calldata swap, address tokenOut) private returns (uint256 out) {
        if (!isRouter[swap.router] || swap.router.code.length == 0) revert NotRouter();
        uint256 before = _balance(tokenOut, forwarder);
        bool isNative = swap.token == address(0);
        if (!isNative) _approve(forwarder, swap.token, swap.router, swap.amount);
        bytes memory message = abi.encodePacked(uint256(uint160(swap.router)), isNative ? swap.amount : 0, swap.data);
        (bool ok,, bytes32 word) = _run(forwarder, gasleft(), message);
        if (!ok) revert SwapFailed(word);
        if (!isNative) _approve(forwarder, swap.token, swap.router, 0);
        uint256 held = _balance(tokenOut, forwarder);
        out = held > before ? held - before : 0;
        if (out < swap.leastOut) revert TooLittleOut(out, swap.leastOut);
    }

    function _approve(address forwarder, address token, address spender, uint256 amount) private {
        if (!_tokenCall(forwarder, gasleft(), token, APPROVE, spender, amount)) revert ApproveFailed();
    }

    /// A hostile token's answer is copied no further than its first word.
    function _balance(address token, address account) private view returns (uint256 amount) {
        if (token == address(0)) return account.balance;
        bytes memory data = abi.encodeWithSignature("balanceOf(address)", account);
        bool isKnown;
        assembly ("memory-safe") {
            let ok := staticcall(gas(), token, add(data, 32), mload(data), 0, 32)
            isKnown := and(ok, gt(returndatasize(), 31))
            amount := mload(0)
        }
        if (!isKnown) revert NoBalance();
    }

    function _conversionMove(
        bytes32 hash,
        Settlement calldata settlement,
        Conversion calldata swap,
        uint256 fee,
        Approval calldata approval
    ) private pure returns (bytes32) {
        Leg[] memory legs = new Leg[](fee == 0 ? 0 : 1);
        if (fee > 0) legs[0] = Leg(settlement.feeCollector, fee);
        return _move(
            hash, swap.token, swap.amount, settlement.token, swap.leastOut, swap.router, keccak256(swap.data), legs, approval
        );
    }

    function _move(
        bytes32 hash,
        address tokenIn,
        uint256 amountIn,
        address tokenOut,
        uint256 leastOut,
        address router,
        bytes32 data,
        Leg[] memory legs,
        Approval calldata approval
    ) private pure returns (bytes32) {
        bytes32[] memory hashes = new bytes32[](legs.length);
        for (uint256 i = 0; i < legs.length; ++i) hashes[i] = keccak256(abi.encode(LEG_TYPE, legs[i]));
        bytes memory head = abi.encode(MOVE_TYPE, hash, tokenIn, amountIn, tokenOut, leastOut, router, data);
        return keccak256(bytes.concat(head, abi.encode(keccak256(abi.encodePacked(hashes)), approval.nonce, approval.deadline)));
    }

    function _consume(bytes32 hash, address guard, bytes32 move, Approval calldata approval) private {
        if (block.timestamp > approval.deadline) revert Expired();
        if (isNonceUsed[hash][approval.nonce]) revert NonceUsed();
        bytes32 domain = keccak256(abi.encode(DOMAIN_TYPE, keccak256("Till"), keccak256("1"), block.chainid, address(this)));
        if (!_isApproved(guard, keccak256(abi.encodePacked("\x19\x01", domain, move)), approval.signature)) revert NotApproved();
        isNonceUsed[hash][approval.nonce] = true;
    }

    /// A guard is a key, or a contract that answers as ERC-1271 says.
    function _isApproved(address guard, bytes32 digest, bytes calldata signature) private view returns (bool isApproved) {
        if (guard == address(0)) return false;
        if (signature.length == 65) {
            address signer = ecrecover(digest, uint8(signature[64]), bytes32(signature[:32]), bytes32(signature[32:64]));
            if (signer == guard) return true;
        }
        if (guard.code.length == 0) return false;
        bytes memory data = abi.encodeWithSignature("isValidSignature(bytes32,bytes)", digest, signature);
        assembly ("memory-safe") {
            mstore(0, 0)
            let ok := staticcall(GUARD_GAS, guard, add(data, 32), mload(data), 0, 32)
            isApproved := and(and(ok, gt(returndatasize(), 31)), eq(mload(0), shl(224, 0x1626ba7e)))
        }
    }
}
