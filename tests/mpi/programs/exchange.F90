! SPDX-License-Identifier: BSD-3-Clause
! What exchange.c does, with mpi, or with mpi_f08 if F08 is defined.
program exchange
#ifdef F08
  use mpi_f08
#else
  use mpi
#endif
  implicit none
  integer, parameter :: width = 3, most = 100000
  double precision, allocatable :: m(:, :)
  integer :: ierr, rank, rows, i, bad
#ifdef F08
  type(MPI_Datatype) :: column
  type(MPI_Status) :: status
#else
  integer :: column, status(MPI_STATUS_SIZE)
#endif
  bad = 0
  allocate (m(width, most))
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  rows = 10
  do while (rows <= most)
    call MPI_Type_vector(rows, 1, width, MPI_DOUBLE_PRECISION, column, ierr)
    call MPI_Type_commit(column, ierr)
    m = -1
    m(2, :) = merge([(i, i = 1, most)], 0, rank == 0)
    if (rank == 0) then
      call MPI_Send(m(2, 1), 1, column, 1, rows, MPI_COMM_WORLD, ierr)
    else if (rank == 1) then
      call MPI_Recv(m(2, 1), 1, column, 0, rows, MPI_COMM_WORLD, status, ierr)
      do i = 1, rows
        if (m(1, i) /= -1 .or. m(2, i) /= i .or. m(3, i) /= -1) bad = bad + 1
      end do
    end if
    call MPI_Type_free(column, ierr)
    rows = rows * 10
  end do
  if (rank < 2) print *, 'rank', rank, ':', bad, 'mistakes'
  call MPI_Finalize(ierr)
  if (bad /= 0) stop 1
end program exchange
