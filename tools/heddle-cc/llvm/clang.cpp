/*
 * clang as a call: its driver, and its compiler for commands that the driver wants in its own process. As clang's main
 * does, so that it says and makes the same; what it would start as another program is started here, too. What it is to
 * understand as nvcc does stands here as well: clang's headers take seven seconds to read, once for both.
 */
#include <dlfcn.h>
#include <memory>
#include <string>
#include <sys/stat.h>
#include <utility>
#include <vector>

#include "clang/AST/Attr.h"
#include "clang/AST/Decl.h"
#include "clang/AST/DeclGroup.h"
#include "clang/Basic/Diagnostic.h"
#include "clang/Basic/DiagnosticIDs.h"
#include "clang/Basic/DiagnosticOptions.h"
#include "clang/Basic/Stack.h"
#include "clang/Driver/Compilation.h"
#include "clang/Driver/Driver.h"
#include "clang/Driver/ToolChain.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/CompilerInvocation.h"
#include "clang/Frontend/FrontendDiagnostic.h"
#include "clang/Frontend/FrontendPluginRegistry.h"
#include "clang/Frontend/TextDiagnosticBuffer.h"
#include "clang/Frontend/TextDiagnosticPrinter.h"
#include "clang/FrontendTool/Utils.h"
#include "clang/Lex/Preprocessor.h"
#include "clang/Sema/ExternalSemaSource.h"
#include "clang/Sema/Sema.h"
#include "clang/Sema/SemaCUDA.h"
#include "clang/Sema/SemaConsumer.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/BuryPointer.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/PrettyStackTrace.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/VirtualFileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Host.h"
#if LLVM_VERSION_MAJOR >= 20
#include "clang/CodeGen/ObjectFilePCHContainerWriter.h"
#include "clang/Serialization/ObjectFilePCHContainerReader.h"
#else
#include "clang/CodeGen/ObjectFilePCHContainerOperations.h"
#endif

#include "tools/heddle-cc/llvm/calls.h"

using namespace clang;
using namespace llvm;

/* ------------------------------------------------------------ precompiled headers */

/*
 * At the end of a CUDA source clang looks for what device code must not have, from each function that may become code
 * on. It writes these functions into a precompiled header, in which they are all inline functions, and whoever uses the
 * header reads them all: two thirds of the compilation of a small program. A function that nothing but its callers
 * brings into the code is no place to begin (clang passes over it there, too), so it is left out.
 */
namespace
{

// clang has its list to itself, but hands it to whoever may add to it.
class Roots : public ExternalSemaSource
{
	Sema &S;

      public:
	explicit Roots(Sema &S) : S(S)
	{
	}
	// Code of complex products and quotients calls these by name, when it is made: they have to be read before.
	static bool isCalledByCode(const FunctionDecl *Function)
	{
		const IdentifierInfo *Name = Function->getIdentifier();
		return Name && is_contained({"__mulsc3", "__muldc3", "__divsc3", "__divdc3"}, Name->getName());
	}
	void ReadDeclsToCheckForDeferredDiags(SmallSetVector<Decl *, 4> &Decls) override
	{
		Decls.remove_if([this](Decl *D) {
			auto *Function = dyn_cast<FunctionDecl>(D);
			return Function && !isCalledByCode(Function) &&
			       S.getEmissionStatus(Function, true) != Sema::FunctionEmissionStatus::Emitted;
		});
	}
};

class RootsConsumer : public ASTConsumer
{
	CompilerInstance &Instance;

      public:
	explicit RootsConsumer(CompilerInstance &Instance) : Instance(Instance)
	{
	}
	void HandleTranslationUnit(ASTContext &) override
	{
		Sema &S = Instance.getSema();
		S.addExternalSource(new Roots(S));
		S.emitDeferredDiags();
	}
};

class RootsAction : public PluginASTAction
{
	std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &Instance, StringRef) override
	{
		return std::make_unique<RootsConsumer>(Instance);
	}
	bool ParseArgs(const CompilerInstance &Instance, const std::vector<std::string> &) override
	{
		const LangOptions &Language = Instance.getLangOpts();
		return Instance.getFrontendOpts().ProgramAction == frontend::GeneratePCH && Language.CUDA &&
		       !Language.OpenMP; // with OpenMP, clang begins everywhere
	}
	ActionType getActionType() override
	{
		return AddBeforeMainAction;
	}
};

FrontendPluginRegistry::Add<RootsAction> RootsPlugin("heddle-roots", "leaves inline functions out of the check");

} // namespace

/* ------------------------------------------------------------ declarations */

/*
 * Declarations that clang 19 understands otherwise than nvcc:
 *
 * - Deduction guides that a program declares, `Pair(A, B) -> Pair<A, B>;`, hold on both sides. Clang takes them for
 *   functions of the host, so that device code cannot use them. Where the tokens of one stand outside of functions, all
 *   that is declared up to its semicolon is for both sides. Needs the tokens as the parser gets them; a few comparisons
 *   a token.
 * - Constants of the host are the device's where device code reads them. Clang makes constant memory of each that
 *   another source could see, and tables of the host may be larger than that. As an inline variable, one is there if
 *   something of this source uses it.
 */
namespace
{

class Declarations : public SemaConsumer
{
	Sema *Actions = nullptr;
	bool Device;
	// What was seen of Name(...) -> Name
	enum { Nothing, Named, Parameters, Closed, Arrow, Guide, Ended } State = Nothing;
	const IdentifierInfo *Name = nullptr;
	unsigned Depth = 0;

	bool isOutside() const
	{
		return Actions && (Actions->CurContext->isFileContext() || Actions->CurContext->isRecord());
	}

	void begin(const Token &Next)
	{
		State = Next.is(tok::identifier) ? Named : Nothing;
		Name = Next.is(tok::identifier) ? Next.getIdentifierInfo() : nullptr;
	}

	void end()
	{
		Actions->CUDA().PopForceHostDevice();
		State = Nothing;
	}

	void seeConstants(DeclContext *Context)
	{
		for (Decl *Declared : Context->decls())
			seeConstant(Declared);
	}

	void seeConstant(Decl *Declared)
	{
		if (auto *Variable = dyn_cast<VarDecl>(Declared)) {
			auto *Constant = Variable->getAttr<CUDAConstantAttr>();
			// Of __device__ const, which other sources may read, clang says the same.
			if (Constant && Constant->isImplicit() && !Variable->hasAttr<CUDADeviceAttr>() &&
			    !Variable->isStaticDataMember())
				Variable->setImplicitlyInline();
		} else if (isa<NamespaceDecl, LinkageSpecDecl>(Declared)) {
			seeConstants(cast<DeclContext>(Declared));
		}
	}

      public:
	explicit Declarations(bool Device) : Device(Device)
	{
	}

	// Before code is made of it.
	bool HandleTopLevelDecl(DeclGroupRef Group) override
	{
		if (Device)
			for (Decl *Declared : Group)
				seeConstant(Declared);
		return true;
	}

	void InitializeSema(Sema &S) override
	{
		Actions = &S;
	}

	void ForgetSema() override
	{
		Actions = nullptr;
	}

	// The parser looks at a token before it acts on what ends with it: the guide is declared when the token behind
	// its semicolon comes.
	void see(const Token &Next)
	{
		switch (State) {
		case Nothing:
			if (Next.is(tok::identifier))
				begin(Next);
			break;
		case Named:
			if (Next.is(tok::l_paren)) {
				State = Parameters;
				Depth = 1;
			} else {
				begin(Next);
			}
			break;
		case Parameters:
			Depth += Next.is(tok::l_paren);
			Depth -= Next.is(tok::r_paren);
			if (!Depth)
				State = Closed;
			break;
		case Closed:
			if (Next.is(tok::arrow))
				State = Arrow;
			else
				begin(Next);
			break;
		case Arrow:
			if (Next.is(tok::identifier) && Next.getIdentifierInfo() == Name && isOutside()) {
				State = Guide;
				Actions->CUDA().PushForceHostDevice();
			} else {
				begin(Next);
			}
			break;
		case Guide:
			if (Next.is(tok::semi))
				State = Ended;
			else if (Next.isOneOf(tok::l_brace, tok::eof))
				end();
			break;
		case Ended:
			end();
			begin(Next);
			break;
		}
	}
};

class DeclarationsAction : public PluginASTAction
{
      protected:
	std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &Instance, StringRef) override
	{
		auto Consumer = std::make_unique<Declarations>(bool(Instance.getLangOpts().CUDAIsDevice));
		if (Instance.getLangOpts().CUDA)
			Instance.getPreprocessor().setTokenWatcher(
				[Watcher = Consumer.get()](const Token &Next) { Watcher->see(Next); });
		return Consumer;
	}

	bool ParseArgs(const CompilerInstance &, const std::vector<std::string> &) override
	{
		return true;
	}

	ActionType getActionType() override
	{
		return AddBeforeMainAction;
	}
};

FrontendPluginRegistry::Add<DeclarationsAction> DeclarationsPlugin("heddle-declarations",
								   "declarations as nvcc understands them");

} // namespace

/* ------------------------------------------------------------ the compiler */

namespace
{

/* Options of diagnostics have counted owners, and a single one from LLVM 21 on, where engines and printers take a
 * reference. */
#if LLVM_VERSION_MAJOR >= 21
using OptionsOwner = std::unique_ptr<DiagnosticOptions>;

DiagnosticOptions &given(const OptionsOwner &Options)
{
	return *Options;
}
#else
using OptionsOwner = IntrusiveRefCntPtr<DiagnosticOptions>;

DiagnosticOptions *given(const OptionsOwner &Options)
{
	return Options.get();
}
#endif

/* The files that they name come from the machine's own file system, which LLVM 20 wants to be told. */
#if LLVM_VERSION_MAJOR >= 20
void createDiagnostics(CompilerInstance &Instance)
{
#if LLVM_VERSION_MAJOR >= 22
	Instance.createVirtualFileSystem();
	Instance.createDiagnostics();
#else
	Instance.createDiagnostics(*vfs::getRealFileSystem());
#endif
}

void processWarnings(DiagnosticsEngine &Engine, const DiagnosticOptions &Options)
{
	ProcessWarningOptions(Engine, Options, *vfs::getRealFileSystem(), false);
}
#else
void createDiagnostics(CompilerInstance &Instance)
{
	Instance.createDiagnostics();
}

void processWarnings(DiagnosticsEngine &Engine, const DiagnosticOptions &Options)
{
	ProcessWarningOptions(Engine, Options, false);
}
#endif

enum { CRASHED = 70 }; // EX_SOFTWARE, which the driver takes for a crash

void onFatalError(void *Engine, const char *Message, bool Crash)
{
	static_cast<DiagnosticsEngine *>(Engine)->Report(diag::err_fe_error_backend) << Message;
	sys::RunInterruptHandlers();
	sys::Process::Exit(Crash ? CRASHED : 1);
}

void initializeTargets()
{
	InitializeAllTargets();
	InitializeAllTargetMCs();
	InitializeAllAsmPrinters();
	InitializeAllAsmParsers();
}

// Words: of the command behind -cc1.
int compile(ArrayRef<const char *> Words, const char *Program)
{
	auto Instance = std::make_unique<CompilerInstance>();
	auto Containers = Instance->getPCHContainerOperations();
	Containers->registerWriter(std::make_unique<ObjectFilePCHContainerWriter>());
	Containers->registerReader(std::make_unique<ObjectFilePCHContainerReader>());

	// Kept until the instance has its own engine, whose options are among the words.
	auto *Kept = new TextDiagnosticBuffer;
	OptionsOwner Options(new DiagnosticOptions);
	DiagnosticsEngine Early(IntrusiveRefCntPtr<DiagnosticIDs>(new DiagnosticIDs), given(Options), Kept);
	bool Good = CompilerInvocation::CreateFromArgs(Instance->getInvocation(), Words, Early, Program);
	createDiagnostics(*Instance);
	if (!Instance->hasDiagnostics())
		return 1;
	install_fatal_error_handler(onFatalError, &Instance->getDiagnostics());
	Kept->FlushDiagnostics(Instance->getDiagnostics());
	if (!Good) {
		Instance->getDiagnosticClient().finish();
		return 1;
	}
	Good = ExecuteCompilerInvocation(Instance.get());
	remove_fatal_error_handler();
	if (Instance->getFrontendOpts().DisableFree)
		BuryPointer(std::move(Instance));
	return Good ? 0 : 1;
}

// What the driver has for its own process: -cc1; clang's assembler is another program here.
int runTool(SmallVectorImpl<const char *> &Arguments, const char *Program)
{
	cl::ResetAllOptionOccurrences();
	if (Arguments.size() > 1 && StringRef(Arguments[1]) == "-cc1")
		return compile(ArrayRef<const char *>(Arguments).drop_front(2), Program);
	SmallVector<StringRef, 64> Words;
	for (const char *Word : Arguments)
		if (Word)
			Words.push_back(Word);
	return sys::ExecuteAndWait(Program, Words);
}

/* ------------------------------------------------------------ the driver */

int drive(SmallVectorImpl<const char *> &Words, const char *Program, BumpPtrAllocator &Texts)
{
	if (Error Wrong = clang::driver::expandResponseFiles(Words, false, Texts)) {
		errs() << toString(std::move(Wrong)) << '\n';
		return 1;
	}
	StringSaver Saver(Texts);
	auto Name = clang::driver::ToolChain::getTargetAndModeFromProgramName(Words[0]);
	if (Name.DriverMode)
		Words.insert(Words.begin() + 1, Saver.save(Name.DriverMode).data());
	if (Name.TargetIsValid)
		Words.insert(Words.begin() + 1, {"-target", Saver.save(Name.TargetPrefix).data()});

	OptionsOwner Options(CreateAndPopulateDiagOpts(Words));
	auto *Printer = new TextDiagnosticPrinter(errs(), given(Options));
	Printer->setPrefix(std::string(sys::path::stem(Words[0])));
	DiagnosticsEngine Engine(IntrusiveRefCntPtr<DiagnosticIDs>(new DiagnosticIDs), given(Options), Printer);
	processWarnings(Engine, *Options);

	clang::driver::Driver Driver(Program, sys::getDefaultTargetTriple(), Engine);
	auto Tool = [Program](SmallVectorImpl<const char *> &Arguments) { return runTool(Arguments, Program); };
	Driver.setTargetAndMode(Name);
	Driver.CC1Main = Tool;

	std::unique_ptr<clang::driver::Compilation> Compilation(Driver.BuildCompilation(Words));
	if (!Compilation || Compilation->containsError())
		return 1;
	SmallVector<std::pair<int, const clang::driver::Command *>, 4> Failed;
	int Result = Driver.ExecuteCompilation(*Compilation, Failed);
	for (const auto &[Status, Command] : Failed) {
		if (!Result)
			Result = Status;
		if (Status < 0 || Status == CRASHED) {
			Driver.generateCompilationDiagnostics(*Compilation, *Command);
			break;
		}
	}
	Engine.getClient()->finish();
	return Result < 0 ? 1 : Result;
}

} // namespace

/* ------------------------------------------------------------ the calls */

void hd_llvm_watch_memory(void (*OutOfMemory)())
{
	install_bad_alloc_error_handler([](void *Function, const char *,
					   bool) { reinterpret_cast<void (*)()>(Function)(); },
					reinterpret_cast<void *>(OutOfMemory));
}

// Whether the library that this one is linked to is the program's: it lies where the program looks for it. Sanitizers
// would look into a compiler that is not instrumented.
bool hd_llvm_is_clang(const char *program)
{
#if __has_feature(address_sanitizer)
	(void)program;
	return false;
#else
	Dl_info Library;
	struct stat Ours, Theirs;
	if (!dladdr(reinterpret_cast<void *>(&ExecuteCompilerInvocation), &Library))
		return false;
	std::string Beside =
		(sys::path::parent_path(program) + "/../lib/" + sys::path::filename(Library.dli_fname)).str();
	return !stat(Library.dli_fname, &Ours) && !stat(Beside.c_str(), &Theirs) && Ours.st_dev == Theirs.st_dev &&
	       Ours.st_ino == Theirs.st_ino && sys::path::filename(program) == "clang";
#endif
}

int hd_llvm_clang(int argc, char **argv, const char *program)
{
	noteBottomOfStack();
	sys::PrintStackTraceOnErrorSignal(argv[0]);
	PrettyStackTraceProgram Trace(argc, argv);
	initializeTargets();
	CrashRecoveryContext::Enable();
	BumpPtrAllocator Texts;
	SmallVector<const char *, 128> Words(argv, argv + argc);
	int Result = drive(Words, program, Texts);
	outs().flush();
	errs().flush();
	return Result;
}
